import type { Override, Overrides } from './overrides.js';
import type { Call, Contract, Enumeration, Shape, Side, Value, Where } from './sides.js';

/** Counterparts by document. */
export interface Pair<Each> {
  /** The name in the first document that has it. */
  name: string;
  sides: Partial<Record<Side, Each>>;
  override: Override;
}

export interface CallPair {
  rest: Call;
  field: Call;
}

export interface Pairs {
  shapes: Pair<Shape>[];
  enumerations: Pair<Enumeration>[];
  calls: CallPair[];
  /** All enums, paired or not. */
  known: Record<Side, Enumeration[]>;
  /** Overrides that name what does not exist. */
  faults: { where: Where; message: string }[];
}

/** Pairs types by equal names. An override of openapi.yaml has priority, and its root pairs the other two documents. */
function pairTypes<Each extends Value>(types: Record<Side, Each[]>, overrides: Overrides): Pair<Each>[] {
  const find = (side: Side, name: string) => types[side].find((one) => one.name === name);
  const pair = (name: string, override: Override, sides: Partial<Record<Side, Each | undefined>>): Pair<Each>[] => {
    const present = Object.entries(sides).filter(([, one]) => one !== undefined);
    return present.length > 1 ? [{ name, override, sides: Object.fromEntries(present) }] : [];
  };
  const taken: (Each | undefined)[] = [];
  const fromRest = types.openapi.flatMap((openapi) => {
    const override = overrides.of(openapi.name);
    const graphql = find('graphql', typeof override.graphql === 'string' ? override.graphql : openapi.name);
    taken.push(graphql);
    return pair(openapi.name, override, { openapi, graphql, prisma: find('prisma', override.prisma ?? openapi.name) });
  });
  const others = types.graphql.filter((one) => !taken.includes(one));
  const fromGraphql = others.flatMap((graphql) => {
    const stated = overrides.of('').pairs?.find((one) => one.graphql === graphql.name);
    return pair(graphql.name, {}, { graphql, prisma: find('prisma', stated?.prisma ?? graphql.name) });
  });
  return [...fromRest, ...fromGraphql];
}

/** `createUser` is Mutation.createUser, `getUser` is Query.user, `listUsers` is Query.users and Query.usersConnection. */
function counterpartsOf(operationId: string): string[] {
  const [, noun] = /^(?:get|list)([A-Z].*)$/.exec(operationId) ?? [];
  if (noun === undefined) return [`Mutation.${operationId}`, `Query.${operationId}`];
  const field = `Query.${noun.charAt(0).toLowerCase()}${noun.slice(1)}`;
  return [field, `${field}Connection`];
}

/** Reports the overrides whose counterpart, field or member to flatten does not exist. */
function findFaults({ openapi, graphql, prisma }: Record<Side, Contract>, overrides: Overrides): Pairs['faults'] {
  const names = (all: readonly Value[]) => all.map(({ name }) => name);
  const types = ({ shapes, enumerations }: Contract) => names([...shapes, ...enumerations]);
  const check = (owner: string, stated: readonly (string | undefined)[], known: readonly string[], what: string) =>
    stated
      .filter((one) => one !== undefined && one !== 'none' && !known.includes(one))
      .map((one) => ({
        where: overrides.whereOf(owner),
        message: `x-bridge names ${what.replace('*', String(one))}, which does not exist.`,
      }));
  const ofGraphql = '* of schema.graphql';
  const ofPrisma = '* of schema.prisma';
  const pairs = overrides.of('').pairs ?? [];
  return [
    ...types(openapi).flatMap((name) => {
      const { graphql: type, prisma: model, flatten = [], fields = {} } = overrides.of(name);
      const members = names(openapi.shapes.find((one) => one.name === name)?.members ?? []);
      return [
        ...check(name, [type].flat(), types(graphql), ofGraphql),
        ...check(name, [model], types(prisma), ofPrisma),
        ...check(name, [...flatten, ...Object.keys(fields)], members, `${name}.*`),
      ];
    }),
    ...openapi.calls.flatMap(({ name }) =>
      check(name, [overrides.of(name).graphql].flat(), names(graphql.calls), ofGraphql),
    ),
    ...check(
      '',
      pairs.map((one) => one.graphql),
      types(graphql),
      ofGraphql,
    ),
    ...check(
      '',
      pairs.map((one) => one.prisma),
      types(prisma),
      ofPrisma,
    ),
  ];
}

/** Pairs the types, enums and calls of the three documents by convention and by the overrides. */
export function pairUp(contracts: Record<Side, Contract>, overrides: Overrides): Pairs {
  const { openapi, graphql, prisma } = contracts;
  const enumerations = {
    openapi: openapi.enumerations,
    graphql: graphql.enumerations,
    prisma: prisma.enumerations,
  };
  return {
    shapes: pairTypes<Shape>({ openapi: openapi.shapes, graphql: graphql.shapes, prisma: prisma.shapes }, overrides),
    enumerations: pairTypes<Enumeration>(enumerations, overrides),
    known: enumerations,
    calls: openapi.calls.flatMap((rest) => {
      const names = [overrides.of(rest.name).graphql ?? counterpartsOf(rest.name)].flat();
      return graphql.calls.filter(({ name }) => names.includes(name)).map((field) => ({ rest, field }));
    }),
    faults: findFaults(contracts, overrides),
  };
}
