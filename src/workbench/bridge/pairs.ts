import type { Keys } from '@accord-api/platform/contract/document';
import { operationEntries } from '@accord-api/platform/contract/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { extensionSchema } from '../model/extensions.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Contract, Contracts, Enumeration, Location, Named, ObjectType, Operation, Side } from './contract.js';
import { locationOf } from './read-openapi.js';

/** The `x-bridge` of a schema, of an operation, or of the root for types that openapi.yaml does not have. */
interface Override {
  /** The counterpart, or `none`: a type; for an operation one root field or several, as in `Query.me`. */
  graphql?: string | string[];
  prisma?: string;
  pairs?: { graphql: string; prisma: string }[];
  /** The names of counterparts, by the name of a member. */
  fields?: Record<string, { graphql?: string; prisma?: string }>;
  /** Members that the other documents replace by the members of their type. */
  flatten?: string[];
  accept?: { difference: string; reason: string }[];
}

export interface Acceptance {
  difference: string;
  reason: string;
  location: Location;
}

export interface Overrides {
  /** Returns the override of a schema or an operation, or of the root for ''. */
  of: (name: string) => Override;
  accepted: Acceptance[];
  /** Overrides that do not match their schema, or that name something unknown. */
  faults: { location: Location; message: string }[];
}

const isValid = new Ajv2020({ allowUnionTypes: true }).compile<Override>(extensionSchema('x-bridge'));

const namesOf = (...lists: readonly Named[][]) => ['none', ...lists.flat().map(({ name }) => name)];

/** Returns the names in an override that do not exist. */
function unknownNames(name: string, override: Override, { openapi, graphql, prisma }: Contracts): string[] {
  const { graphql: field = [], prisma: model = [], pairs = [], flatten = [], fields = {} } = override;
  const known = ({ types, enumerations, operations }: Contract) => namesOf(types, enumerations, operations);
  const members = namesOf(openapi.types.find((one) => one.name === name)?.members ?? []);
  const missing = (names: string[], existing: string[]) => names.filter((one) => !existing.includes(one));
  return [
    ...missing([field, pairs.map((one) => one.graphql)].flat(2), known(graphql)).map(
      (one) => `${one} of schema.graphql`,
    ),
    ...missing([model, pairs.map((one) => one.prisma)].flat(2), known(prisma)).map((one) => `${one} of schema.prisma`),
    ...missing([...flatten, ...Object.keys(fields)], members).map((one) => `${name}.${one}`),
  ];
}

export function readOverrides(source: OpenApiSource, contracts: Contracts): Overrides {
  const { written: document } = source;
  const owners: [name: string, path: Keys, stated: unknown][] = [
    ['', [], document['x-bridge']],
    ...Object.entries(document.components?.schemas ?? {}).map(
      ([name, schema]) => [name, ['components', 'schemas', name], schema['x-bridge']] as [string, Keys, unknown],
    ),
    ...operationEntries(document).map(
      ({ operation, at }) => [operation.operationId, at, operation['x-bridge']] as [string, Keys, unknown],
    ),
  ];
  const valid = new Map<string, Override>();
  const accepted: Acceptance[] = [];
  const faults: Overrides['faults'] = [];
  for (const [name, owner, stated] of owners) {
    const path = [...owner, 'x-bridge'];
    if (stated === undefined) continue;
    if (!isValid(stated)) {
      for (const { instancePath, message } of isValid.errors ?? []) {
        const location = locationOf(source, [...path, ...instancePath.split('/').slice(1)], 'x-bridge');
        faults.push({ location, message: `x-bridge ${message}.` });
      }
      continue;
    }
    valid.set(name, stated);
    for (const unknown of unknownNames(name, stated, contracts)) {
      const message = `x-bridge names ${unknown}, which does not exist.`;
      faults.push({ location: locationOf(source, path, 'x-bridge'), message });
    }
    for (const [index, one] of (stated.accept ?? []).entries())
      accepted.push({
        ...one,
        location: locationOf(source, [...path, 'accept', index, 'difference'], 'accepts', false),
      });
  }
  return { of: (name) => valid.get(name) ?? {}, accepted, faults };
}

export interface Pair<Item> {
  name: string;
  sides: Partial<Record<Side, Item>>;
  override: Override;
}

export interface OperationPair {
  rest: Operation;
  field: Operation;
}

export interface Pairs {
  types: Pair<ObjectType>[];
  enumerations: Pair<Enumeration>[];
  operations: OperationPair[];
}

/** Pairs items by equal names. An override of openapi.yaml has priority, and its root pairs the other two documents. */
function pairByName<Item extends Named>(items: Record<Side, Item[]>, overrides: Overrides): Pair<Item>[] {
  const find = (side: Side, name: string) => items[side].find((one) => one.name === name);
  const pair = (name: string, override: Override, sides: Partial<Record<Side, Item | undefined>>): Pair<Item>[] => {
    const present = Object.entries(sides).filter(([, one]) => one !== undefined);
    return present.length > 1 ? [{ name, override, sides: Object.fromEntries(present) }] : [];
  };
  const paired: (Item | undefined)[] = [];
  const fromRest = items.openapi.flatMap((openapi) => {
    const override = overrides.of(openapi.name);
    const graphql = find('graphql', typeof override.graphql === 'string' ? override.graphql : openapi.name);
    paired.push(graphql);
    return pair(openapi.name, override, { openapi, graphql, prisma: find('prisma', override.prisma ?? openapi.name) });
  });
  const others = items.graphql.filter((one) => !paired.includes(one));
  const fromGraphql = others.flatMap((graphql) => {
    const stated = overrides.of('').pairs?.find((one) => one.graphql === graphql.name);
    return pair(graphql.name, {}, { graphql, prisma: find('prisma', stated?.prisma ?? graphql.name) });
  });
  return [...fromRest, ...fromGraphql];
}

/** Returns Mutation.createUser for `createUser`; Query.users and Query.usersConnection for `listUsers`. */
function counterpartsOf(operationId: string): string[] {
  const [, noun] = /^(?:get|list)([A-Z].*)$/.exec(operationId) ?? [];
  if (noun === undefined) return [`Mutation.${operationId}`, `Query.${operationId}`];
  const field = `Query.${noun.charAt(0).toLowerCase()}${noun.slice(1)}`;
  return [field, `${field}Connection`];
}

/** Pairs the types, enums and operations of the three documents by convention and by the overrides. */
export function pairUp({ openapi, graphql, prisma }: Contracts, overrides: Overrides): Pairs {
  const types = { openapi: openapi.types, graphql: graphql.types, prisma: prisma.types };
  const enumerations = {
    openapi: openapi.enumerations,
    graphql: graphql.enumerations,
    prisma: prisma.enumerations,
  };
  return {
    types: pairByName<ObjectType>(types, overrides),
    enumerations: pairByName<Enumeration>(enumerations, overrides),
    operations: openapi.operations.flatMap((rest) => {
      const names = [overrides.of(rest.name).graphql ?? counterpartsOf(rest.name)].flat();
      return graphql.operations.filter(({ name }) => names.includes(name)).map((field) => ({ rest, field }));
    }),
  };
}
