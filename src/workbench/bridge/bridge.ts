import type { Contracts } from '../model/contracts.js';
import { compareEnumerations } from './compare-enumerations.js';
import { compareCatalogues, compareErrors, compareNamed } from './compare-errors.js';
import { compareAllInputs } from './compare-inputs.js';
import { compareNames } from './compare-names.js';
import { comparePermissions } from './compare-permissions.js';
import { compareShapes } from './compare-shapes.js';
import { compareStore, type Stored, storedCalls } from './compare-store.js';
import type { Difference } from './difference.js';
import { errorPolicy } from './error-policy.js';
import { readGraphql } from './graphql-side.js';
import { readOpenApi } from './openapi-side.js';
import { type Acceptance, type Overrides, readOverrides } from './overrides.js';
import { type Pairs, pairUp } from './pairs.js';
import { readPrisma } from './prisma-side.js';
import type { Catalogue, Contract, Side } from './side.js';

export interface Report {
  pairs: Pairs;
  stored: Stored[];
  catalogues: Catalogue[];
  /** What of the two contracts is held against nothing. */
  alone: Partial<Record<Side, string[]>>;
  /** What fails: unexplained differences, acceptances that match nothing, overrides that lead nowhere. */
  differences: Difference[];
  accepted: (Acceptance & { message: string })[];
}

/** One difference for each id: what several operations have alike is told once, with all its places. */
function merged(all: readonly Difference[]): Difference[] {
  const byId = new Map<string, Difference>();
  for (const one of all) {
    const known = byId.get(one.id)?.places ?? [];
    const added = one.places.filter(({ file, line, column }) =>
      known.every((place) => place.file !== file || place.line !== line || place.column !== column),
    );
    byId.set(one.id, { ...one, places: [...known, ...added] });
  }
  return [...byId.values()];
}

/** The operations, enums and things with an id of a contract that have no counterpart anywhere. */
function aloneIn(side: 'openapi' | 'graphql', contract: Contract, { shapes, enumerations, calls }: Pairs): string[] {
  const typed = [...shapes, ...enumerations].map(({ sides }) => sides[side]?.name);
  const called = calls.map(({ rest, field }) => (side === 'openapi' ? rest : field).name);
  const paired = new Set([...typed, ...called]);
  const things = contract.shapes.filter(({ members }) => members.some(({ key }) => key === 'id'));
  const all = [...things, ...contract.enumerations, ...contract.calls];
  return all.map(({ name }) => name).filter((name) => !paired.has(name));
}

/** An acceptance that explains nothing any more would explain tomorrow's mistake. */
function stale({ accepted }: Overrides, found: readonly Difference[]): Difference[] {
  const matches = ({ difference }: Acceptance, index: number) =>
    found.some(({ id }) => id === difference) && accepted.findIndex((one) => one.difference === difference) === index;
  return accepted
    .filter((one, index) => !matches(one, index))
    .map(({ difference, where }) => ({
      id: `stale:${difference}`,
      message: `x-bridge accepts ${difference}, which is no difference, or is accepted already`,
      advice: 'Take the acceptance out.',
      places: [where],
    }));
}

/**
 * Holds the three documents of a project against each other. Takes sound ones: `check` of both contracts finds nothing.
 */
export function bridge({ openapi: source, schema, prisma }: Contracts): Report {
  const contracts: Record<Side, Contract> = {
    openapi: readOpenApi(source),
    graphql: readGraphql(schema),
    prisma: { ...readPrisma(prisma), calls: [], catalogues: [] },
  };
  const { openapi, graphql } = contracts;
  const overrides = readOverrides(source);
  const pairs = pairUp(contracts, overrides);
  const calls = [...openapi.calls, ...graphql.calls];
  const stored = storedCalls(pairs, calls, openapi);
  const catalogues = [...openapi.catalogues, ...graphql.catalogues];
  const found = merged([
    ...compareNames(pairs, contracts, overrides),
    ...compareShapes(pairs, openapi),
    ...compareEnumerations(pairs),
    ...compareAllInputs(pairs),
    ...compareStore(stored),
    ...comparePermissions(pairs),
    ...compareCatalogues(catalogues),
    ...compareNamed(catalogues, calls),
    ...compareErrors(pairs, errorPolicy(schema.text)),
  ]);
  const faults = [...overrides.faults, ...pairs.faults].map(({ where, message }, index) => {
    return { id: `x-bridge:${index + 1}`, message, advice: 'Mend or remove the override.', places: [where] };
  });
  const explained = (id: string) => overrides.accepted.find(({ difference }) => difference === id);
  return {
    pairs,
    stored,
    catalogues,
    alone: { openapi: aloneIn('openapi', openapi, pairs), graphql: aloneIn('graphql', graphql, pairs) },
    differences: [...faults, ...found.filter(({ id }) => explained(id) === undefined), ...stale(overrides, found)],
    accepted: found.flatMap(({ id, message }) => {
      const acceptance = explained(id);
      return acceptance === undefined ? [] : [{ ...acceptance, message }];
    }),
  };
}
