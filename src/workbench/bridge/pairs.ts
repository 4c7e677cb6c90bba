import { NONE, type Override, type Overrides } from './overrides.js';
import type { Call, Contract, Enumeration, Shape, Side, Where } from './side.js';

/** What is held against one another, by the document in which each is written. */
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
  /** Overrides that name what is not there. */
  faults: { where: Where; message: string }[];
}

interface Named {
  name: string;
}

type Sides<Each> = Record<Side, Each[]>;

const named = <Each extends Named>(all: Each[], name: string | undefined) => all.find((one) => one.name === name);

const drop = <Each>(sides: Partial<Record<Side, Each | undefined>>) =>
  Object.fromEntries(Object.entries(sides).filter(([, one]) => one !== undefined)) as Partial<Record<Side, Each>>;

/** Pairs by equal names; an override of openapi.yaml goes before, and its root pairs the other two. */
function pairsOf<Each extends Named>({ openapi, graphql, prisma }: Sides<Each>, overrides: Overrides): Pair<Each>[] {
  const root = overrides.of().pairs ?? [];
  const fromRest = openapi.map((one): Pair<Each> => {
    const override = overrides.of(one.name);
    const partner = typeof override.graphql === 'string' ? override.graphql : one.name;
    const sides = {
      openapi: one,
      graphql: named(graphql, partner),
      prisma: named(prisma, override.prisma ?? one.name),
    };
    return { name: one.name, sides: drop(sides), override };
  });
  const taken = fromRest.map(({ sides }) => sides.graphql);
  const others = graphql.filter((one) => !taken.includes(one));
  const fromGraphql = others.map((one): Pair<Each> => {
    const partner = root.find((pair) => pair.graphql === one.name)?.prisma ?? one.name;
    return { name: one.name, sides: drop({ graphql: one, prisma: named(prisma, partner) }), override: {} };
  });
  return [...fromRest, ...fromGraphql].filter(({ sides }) => Object.keys(sides).length > 1);
}

const lowered = (word: string) => word.charAt(0).toLowerCase() + word.slice(1);

/** `createUser` is Mutation.createUser, `getUser` is Query.user, `listUsers` is Query.users and Query.usersConnection. */
function counterpartsOf(operationId: string): string[] {
  const [, noun] = /^(?:get|list)([A-Z].*)$/.exec(operationId) ?? [];
  if (noun === undefined) return [`Mutation.${operationId}`, `Query.${operationId}`];
  return [`Query.${lowered(noun)}`, `Query.${lowered(noun)}Connection`];
}

function callPairs(rest: Call[], fields: Call[], overrides: Overrides): CallPair[] {
  return rest.flatMap((operation) => {
    const stated = overrides.of(operation.name).graphql;
    const names = stated === undefined ? counterpartsOf(operation.name) : [stated].flat();
    return fields.filter(({ name }) => names.includes(name)).map((field) => ({ rest: operation, field }));
  });
}

/** The overrides that lead nowhere: a counterpart, a field or a member to flatten that does not exist. */
function lost(contracts: Record<Side, Contract>, overrides: Overrides): Pairs['faults'] {
  const { openapi, graphql, prisma } = contracts;
  const typesOf = ({ shapes, enumerations }: Contract) => [...shapes, ...enumerations];
  const has = (all: Named[], name: string | undefined) =>
    name === undefined || name === NONE || named(all, name) !== undefined;
  const missing = (owner: string | undefined, what: string) => {
    return { where: overrides.whereOf(owner), message: `x-bridge names ${what}, which does not exist.` };
  };
  const ofTypes = typesOf(openapi).flatMap(({ name }) => {
    const { graphql: type, prisma: model, flatten = [], fields = {} } = overrides.of(name);
    const members: Named[] = named(openapi.shapes, name)?.members ?? [];
    return [
      ...[type]
        .flat()
        .filter((one) => !has(typesOf(graphql), one))
        .map((one) => missing(name, `${one} of schema.graphql`)),
      ...(has(typesOf(prisma), model) ? [] : [missing(name, `${model} of schema.prisma`)]),
      ...[...flatten, ...Object.keys(fields)]
        .filter((one) => !has(members, one))
        .map((one) => missing(name, `${name}.${one}`)),
    ];
  });
  const ofCalls = openapi.calls.flatMap(({ name }) =>
    [overrides.of(name).graphql]
      .flat()
      .filter((one) => !has(graphql.calls, one))
      .map((one) => missing(name, `${one} of schema.graphql`)),
  );
  const ofRoot = (overrides.of().pairs ?? []).flatMap((pair) => [
    ...(has(typesOf(graphql), pair.graphql) ? [] : [missing(undefined, `${pair.graphql} of schema.graphql`)]),
    ...(has(typesOf(prisma), pair.prisma) ? [] : [missing(undefined, `${pair.prisma} of schema.prisma`)]),
  ]);
  return [...ofTypes, ...ofCalls, ...ofRoot];
}

/** What of the three documents belongs together, by convention and by the overrides. */
export function pairUp(contracts: Record<Side, Contract>, overrides: Overrides): Pairs {
  const { openapi, graphql, prisma } = contracts;
  const of = <Each extends 'shapes' | 'enumerations'>(what: Each) => {
    return { openapi: openapi[what], graphql: graphql[what], prisma: prisma[what] };
  };
  return {
    shapes: pairsOf<Shape>(of('shapes'), overrides),
    enumerations: pairsOf<Enumeration>(of('enumerations'), overrides),
    known: of('enumerations'),
    calls: callPairs(openapi.calls, graphql.calls, overrides),
    faults: lost(contracts, overrides),
  };
}
