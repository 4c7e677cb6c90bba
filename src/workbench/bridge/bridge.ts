import type { Contracts as Sources } from '../model/contracts.js';
import {
  compareCodes,
  compareEnumerations,
  compareErrors,
  comparePermissions,
  compareUnpaired,
} from './compare-lists.js';
import { compareColumns, compareInputs, compareMembers, type Write, writesOf } from './compare-members.js';
import { type Contracts, type Difference, difference, type ErrorList, type Side } from './contract.js';
import { type Acceptance, type Pairs, pairUp, readOverrides } from './pairs.js';
import { readOpenApi } from './read-openapi.js';
import { readGraphql, readPrisma } from './read-schemas.js';

export interface Report {
  pairs: Pairs;
  writes: Write[];
  errorLists: ErrorList[];
  unpaired: Record<'openapi' | 'graphql', string[]>;
  /** Unexplained differences, acceptances without a difference, and overrides with unknown names. */
  differences: Difference[];
  accepted: (Acceptance & { message: string })[];
}

/** Merges differences with the same id, which several operations share, with all their places. */
function mergeById(all: readonly Difference[]): Difference[] {
  const byId = new Map<string, Difference>();
  for (const one of all) {
    const places = [...(byId.get(one.id)?.places ?? []), ...one.places];
    const keys = places.map(({ file, line, column }) => `${file}:${line}:${column}`);
    byId.set(one.id, { ...one, places: places.filter((_, index) => keys.indexOf(keys[index] ?? '') === index) });
  }
  return [...byId.values()];
}

/** Returns the operations, enums and types with an id that have no counterpart. */
function unpairedNames(contracts: Contracts, { types, enumerations, operations }: Pairs, side: Side): string[] {
  const contract = contracts[side];
  const paired = [
    ...[...types, ...enumerations].map(({ sides }) => sides[side]?.name),
    ...operations.map(({ rest, field }) => (side === 'openapi' ? rest : field).name),
  ];
  const withId = contract.types.filter(({ members }) => members.some(({ key }) => key === 'id'));
  const all = [...withId, ...contract.enumerations, ...contract.operations].map(({ name }) => name);
  return all.filter((name) => !paired.includes(name));
}

/** Compares the three documents of a project, which code generation accepts. */
export function bridge({ openapi, schema, prisma }: Sources): Report {
  const contracts = { openapi: readOpenApi(openapi), graphql: readGraphql(schema), prisma: readPrisma(prisma) };
  const overrides = readOverrides(openapi, contracts);
  const pairs = pairUp(contracts, overrides);
  const writes = writesOf(pairs, contracts);
  const errorLists = [...contracts.openapi.errorLists, ...contracts.graphql.errorLists];
  const found = mergeById([
    ...compareUnpaired(pairs, contracts, overrides),
    ...compareMembers(pairs, contracts),
    ...compareEnumerations(pairs),
    ...compareInputs(pairs, contracts),
    ...compareColumns(writes),
    ...comparePermissions(pairs),
    ...compareCodes(errorLists, [...contracts.openapi.operations, ...contracts.graphql.operations]),
    ...compareErrors(pairs, schema.text),
  ]);
  const faults = overrides.faults.map(({ message, ...at }, index) =>
    difference(`x-bridge:${index + 1}`, message, 'Correct or remove the override.', [at]),
  );
  const accepted = new Map<string, Acceptance & { message: string }>();
  const stale: Difference[] = [];
  for (const one of overrides.accepted) {
    const { difference: id } = one;
    const match = found.find((difference) => difference.id === id);
    if (match && !accepted.has(id)) accepted.set(id, { ...one, message: match.message });
    else {
      const message = `x-bridge accepts ${id}, which is no difference, or is accepted already`;
      stale.push(difference(`stale:${id}`, message, 'Remove the acceptance.', [one]));
    }
  }
  return {
    pairs,
    writes,
    errorLists,
    unpaired: {
      openapi: unpairedNames(contracts, pairs, 'openapi'),
      graphql: unpairedNames(contracts, pairs, 'graphql'),
    },
    differences: [...faults, ...found.filter(({ id }) => !accepted.has(id)), ...stale],
    accepted: [...accepted.values()],
  };
}
