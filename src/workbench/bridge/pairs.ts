import type { Contracts, Enumeration, Named, ObjectType, Operation, Side } from './contract.js';
import type { Override, Overrides } from './overrides.js';

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
