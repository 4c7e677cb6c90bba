import type { Contracts } from '../model/contracts.js';
import { compareInputs, compareShapes, compareStored, type Stored, storedCalls } from './compare-members.js';
import {
  compareCodes,
  compareEnumerations,
  compareErrors,
  comparePermissions,
  compareUnpaired,
} from './compare-names.js';
import { readGraphql } from './graphql-side.js';
import { readOpenApi } from './openapi-side.js';
import { type Acceptance, readOverrides } from './overrides.js';
import { type Pairs, pairUp } from './pairs.js';
import { readPrisma } from './prisma-side.js';
import type { Catalogue, Contract, Difference } from './sides.js';

export interface Report {
  pairs: Pairs;
  stored: Stored[];
  catalogues: Catalogue[];
  /** The names of the two contracts that have no counterpart. */
  alone: Record<'openapi' | 'graphql', string[]>;
  /** Unexplained differences, acceptances that match nothing, and overrides that name what does not exist. */
  differences: Difference[];
  accepted: (Acceptance & { message: string })[];
}

/** Merges differences with the same id, which several operations share, with all their places. */
function merged(all: readonly Difference[]): Difference[] {
  const byId = new Map<string, Difference>();
  for (const one of all) {
    const places = [...(byId.get(one.id)?.places ?? []), ...one.places];
    const keys = places.map(({ file, line, column }) => `${file}:${line}:${column}`);
    byId.set(one.id, { ...one, places: places.filter((_, index) => keys.indexOf(keys[index] ?? '') === index) });
  }
  return [...byId.values()];
}

/** Returns the operations, enums and shapes with an id that have no counterpart. */
function aloneIn(side: 'openapi' | 'graphql', contract: Contract, { shapes, enumerations, calls }: Pairs): string[] {
  const typed = [...shapes, ...enumerations].map(({ sides }) => sides[side]?.name);
  const called = calls.map(({ rest, field }) => (side === 'openapi' ? rest : field).name);
  const things = contract.shapes.filter(({ members }) => members.some(({ key }) => key === 'id'));
  const all = [...things, ...contract.enumerations, ...contract.calls].map(({ name }) => name);
  return all.filter((name) => !typed.includes(name) && !called.includes(name));
}

/** Compares the three documents of a project, of which code generation finds nothing wrong. */
export function bridge({ openapi: source, schema, prisma }: Contracts): Report {
  const contracts = { openapi: readOpenApi(source), graphql: readGraphql(schema), prisma: readPrisma(prisma) };
  const { openapi, graphql } = contracts;
  const overrides = readOverrides(source);
  const pairs = pairUp(contracts, overrides);
  const calls = [...openapi.calls, ...graphql.calls];
  const stored = storedCalls(pairs, calls, openapi);
  const catalogues = [...openapi.catalogues, ...graphql.catalogues];
  const found = merged([
    ...compareUnpaired(pairs, contracts, overrides),
    ...compareShapes(pairs, openapi),
    ...compareEnumerations(pairs),
    ...compareInputs(pairs),
    ...compareStored(stored),
    ...comparePermissions(pairs),
    ...compareCodes(catalogues, calls),
    ...compareErrors(pairs, schema.text),
  ]);
  const faults = [...overrides.faults, ...pairs.faults].map(({ where, message }, index) => {
    return { id: `x-bridge:${index + 1}`, message, advice: 'Mend or remove the override.', places: [where] };
  });
  const accepted = new Map<string, Acceptance & { message: string }>();
  const stale: Difference[] = [];
  for (const one of overrides.accepted) {
    const { difference: id, where } = one;
    const match = found.find((difference) => difference.id === id);
    if (match && !accepted.has(id)) accepted.set(id, { ...one, message: match.message });
    else {
      const message = `x-bridge accepts ${id}, which is no difference, or is accepted already`;
      stale.push({ id: `stale:${id}`, message, advice: 'Take the acceptance out.', places: [where] });
    }
  }
  return {
    pairs,
    stored,
    catalogues,
    alone: { openapi: aloneIn('openapi', openapi, pairs), graphql: aloneIn('graphql', graphql, pairs) },
    differences: [...faults, ...found.filter(({ id }) => !accepted.has(id)), ...stale],
    accepted: [...accepted.values()],
  };
}
