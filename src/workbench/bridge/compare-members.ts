import { PAGE_SIZE, PAGE_START } from '../model/names.js';
import { compareValues } from './compare-names.js';
import type { Override } from './overrides.js';
import type { CallPair, Pair, Pairs } from './pairs.js';
import {
  type Call,
  type Contract,
  type Difference,
  type Limits,
  type Member,
  type Shape,
  SIDES,
  type Side,
  TITLES,
} from './sides.js';

/** The types of another document that a type fits; every type fits itself. */
const FITS: Record<string, Record<string, string[]>> = {
  'openapi-graphql': {
    integer: ['Int', 'ID'],
    number: ['Float'],
    string: ['String', 'ID'],
    uuid: ['ID', 'String'],
    time: ['String', 'DateTime'],
    boolean: ['Boolean'],
  },
  'openapi-prisma': {
    integer: ['Int', 'BigInt'],
    number: ['Float', 'Decimal'],
    string: ['String'],
    uuid: ['uuid'],
    time: ['DateTime'],
    boolean: ['Boolean'],
    object: ['Json'],
  },
  'graphql-prisma': {
    Int: ['Int'],
    Float: ['Float', 'Decimal'],
    String: ['String', 'DateTime', 'BigInt', 'uuid'],
    ID: ['Int', 'BigInt', 'String', 'uuid'],
    Boolean: ['Boolean'],
    DateTime: ['DateTime'],
  },
};
const LIMITS = ['min', 'max', 'minLength', 'maxLength', 'pattern', 'format', 'uncommon'] as const;
/** The greatest value of an Int in Prisma, four bytes in PostgreSQL. */
const INT_MAX = 2 ** 31 - 1;
/** Parameters that only REST has. */
const TRANSPORT = new Set(['version']);

/** Returns true for `id`, `user_id` and `channelId`. */
const isId = ({ key }: Member) => key === 'id' || key.endsWith('Id');

/** Compares the types of two members without null. `a` is of the document that comes first in SIDES. */
function compareTypes(subject: string, a: Member, b: Member, isRelated = true): Difference[] {
  const [one, other] = [a.where.side, b.where.side];
  // An id is an ID in GraphQL, where nobody should calculate with it.
  const isIdentifier = other === 'graphql' && isId(a) && isId(b);
  const isFitting = a.type === b.type || FITS[`${one}-${other}`]?.[a.type]?.includes(b.type);
  const isAny = a.type === 'any' || b.type === 'any';
  if (isRelated && a.list === b.list && (isAny || (isIdentifier ? b.type === 'ID' : isFitting))) return [];
  return [
    {
      id: `type:${subject}:${one}-${other}`,
      message: `${subject} is of another type in ${TITLES[one]} than in ${TITLES[other]}`,
      advice: 'Give both a type that holds the same values.',
      places: [a.where, b.where],
    },
  ];
}

/** Compares the limits of inputs, and the defaults where both have one. */
function compareLimits(subject: string, rest: Member, argument: Member): Difference[] {
  // Ids are read as the id of their kind, so the numbers of a path's schema do not matter.
  const names: readonly (keyof Limits)[] = argument.type === 'ID' && rest.type === 'integer' ? [] : LIMITS;
  const hasDefaults = rest.default !== undefined && argument.default !== undefined;
  const all = [
    ...names.map((name) => [name, rest.limits[name], argument.limits[name]] as const),
    ...(hasDefaults ? [['default', rest.default, argument.default] as const] : []),
  ];
  return all
    .filter(([, ofRest, ofGraphql]) => ofRest !== ofGraphql)
    .map(([name, ofRest, ofGraphql]) => ({
      id: `limit:${subject}:${name}`,
      message: `${subject}: ${name} is ${ofRest ?? 'none'} in REST and ${ofGraphql ?? 'none'} in GraphQL`,
      advice: `Give both the same ${name}: in GraphQL by @constraint.`,
      places: [rest.where, argument.where],
    }));
}

type Cells = Partial<Record<Side, Member>>;

/** Replaces the members that an override flattens by the members of their types. */
const flattened = (members: readonly Member[], { flatten = [] }: Override, { shapes }: Contract): Member[] =>
  members.flatMap((member) => {
    const inner = flatten.includes(member.name) ? shapes.find(({ name }) => name === member.of) : undefined;
    return inner?.members.map((one) => ({ ...one, optional: one.optional || member.optional })) ?? [member];
  });

/** Returns the members of paired types by their common key. `_links` and similar members are REST's alone. */
function rowsOf({ sides, override }: Pair<Shape>, openapi: Contract): Map<string, Cells> {
  const rows = new Map<string, Cells>();
  const renamed = Object.entries(override.fields ?? {});
  for (const side of SIDES) {
    const members = sides[side]?.members ?? [];
    for (const member of side === 'openapi' ? flattened(members, override, openapi) : members) {
      if (side === 'openapi' && member.name.startsWith('_')) continue;
      const stated = side === 'openapi' ? undefined : renamed.find(([, names]) => names[side] === member.name)?.[0];
      const key = stated ?? member.key;
      rows.set(key, { ...rows.get(key), [side]: member });
    }
  }
  return rows;
}

/** The database may contain more than the contracts show, and where GraphQL has fields for other objects REST has links. */
const mayLack = (side: Side, { openapi, graphql, prisma }: Cells) =>
  (side !== 'prisma' && !openapi && !graphql && prisma !== undefined) ||
  (side === 'openapi' && graphql?.type === 'object');

function compareRow(subject: string, cells: Cells, { sides }: Pair<Shape>, pairs: Pairs): Difference[] {
  const present = SIDES.flatMap((side) => cells[side] ?? []);
  const missing = SIDES.flatMap((side) => {
    const shape = sides[side];
    if (shape === undefined || cells[side] !== undefined || mayLack(side, cells)) return [];
    return {
      id: `missing:${subject}:${side}`,
      message: `${subject} is missing in ${TITLES[side]}`,
      advice: `Add it to ${shape.name} in ${TITLES[side]}, take it out of the other, or name its counterpart (x-bridge fields).`,
      places: [...present, shape].map(({ where }) => where),
    };
  });
  const compared = present.flatMap((a, index) =>
    present.slice(index + 1).flatMap((b) => {
      const different = compareTypes(subject, a, b, isRelated(a, b, pairs));
      // One document may write an enum in place and the other name it.
      const named = pairs.known[b.where.side].find(({ name }) => name === b.of);
      if (different.length > 0 || !a.values || !named) return different;
      return compareValues(subject, [{ where: a.where, values: a.values }, named]);
    }),
  );
  return [...missing, ...compared, ...compareNull(subject, present), ...compareIdentity(subject, cells)];
}

/** Returns true for named types that are counterparts. A type without a name is compared by its values. */
function isRelated(a: Member, b: Member, { shapes, enumerations }: Pairs): boolean {
  if (a.of === undefined || b.of === undefined || a.of === b.of) return true;
  const pair = [...shapes, ...enumerations].find(({ sides }) => sides[a.where.side]?.name === a.of);
  return pair?.sides[b.where.side]?.name === b.of;
}

/** Reports once for all documents whether a member may be absent or null; of three documents one is the odd one. */
function compareNull(subject: string, present: readonly Member[]): Difference[] {
  // A list of Prisma cannot be null.
  const stated = present.filter(({ list }) => !list);
  const lax = stated.filter(({ optional }) => optional);
  const strict = stated.filter(({ optional }) => !optional);
  if (lax.length === 0 || strict.length === 0) return [];
  const odd = stated.length === 2 ? stated : lax.length > strict.length ? strict : lax;
  const titles = (all: readonly Member[]) => all.map(({ where }) => TITLES[where.side]).join(' and ');
  return [
    {
      id: `nullability:${subject}:${odd.map(({ where }) => where.side).join('-')}`,
      message: `${subject} may be absent or null in ${titles(lax)}, and never in ${titles(strict)}`,
      advice: 'Require it everywhere, or nowhere.',
      places: stated.map(({ where }) => where),
    },
  ];
}

/** An id of the contracts must identify a row of the database. */
function compareIdentity(subject: string, { openapi, graphql, prisma }: Cells): Difference[] {
  const others = [openapi, graphql].flatMap((one) => one?.where ?? []);
  if (!subject.endsWith('.id') || prisma === undefined || prisma.unique || others.length === 0) return [];
  const message = `${subject} does not identify a row of its own in Prisma`;
  return [
    {
      id: `id:${subject}:prisma`,
      message,
      advice: 'Make the column @id or @unique.',
      places: [...others, prisma.where],
    },
  ];
}

/** Compares the members of paired types: presence, types, null, ids. */
export const compareShapes = (pairs: Pairs, openapi: Contract): Difference[] =>
  pairs.shapes.flatMap((pair) =>
    [...rowsOf(pair, openapi)].flatMap(([key, cells]) => compareRow(`${pair.name}.${key}`, cells, pair, pairs)),
  );

const isPaging = ({ name }: Member) => PAGE_SIZE.test(name) || PAGE_START.test(name);

/** `user_id` of a path is the `id` of GraphQL. */
function counterpart({ key }: Member, all: readonly Member[]): Member | undefined {
  const exact = all.find((one) => one.key === key);
  if (exact !== undefined || key === 'id') return exact ?? all.find(isId);
  return key.endsWith('Id') ? all.find((one) => one.key === 'id') : undefined;
}

function compareCall({ rest, field }: CallPair): Difference[] {
  const name = `${rest.name}~${field.name}`;
  const lacks = (one: Member, [from, to]: [Call, Call], advice: string): Difference => ({
    id: `missing:${name}.${one.key}:${to.where.side}`,
    message: `${from.name} takes ${one.name}, and ${to.name} does not`,
    advice,
    places: [one.where, to.where],
  });
  const asked = rest.inputs.filter((one) => !TRANSPORT.has(one.name) && !PAGE_SIZE.test(one.name));
  const found = asked.flatMap((one) => {
    const argument = counterpart(one, field.inputs);
    if (argument) return compareInput(`${name}.${one.key}`, one, argument);
    return isPaging(one) ? [] : [lacks(one, [rest, field], 'Add the argument, or take it out of REST.')];
  });
  // Page sizes have the same limits whatever they are called.
  const size = rest.inputs.find((one) => PAGE_SIZE.test(one.name));
  const sizes = size ? field.inputs.filter((one) => PAGE_SIZE.test(one.name)) : [];
  const known = rest.inputs.map((one) => counterpart(one, field.inputs));
  const surplus = field.inputs.filter((one) => !known.includes(one) && !isPaging(one));
  return [
    ...found,
    ...sizes.flatMap((one) => compareLimits(`${name}.${one.name}`, size as Member, one)),
    ...surplus.map((one) =>
      lacks(one, [field, rest], 'Add it to the parameters or the body, or take the argument out.'),
    ),
  ];
}

function compareInput(subject: string, rest: Member, argument: Member): Difference[] {
  const different = compareTypes(subject, rest, argument);
  if (different.length > 0) return different;
  const limits = compareLimits(subject, rest, argument);
  if (rest.optional === argument.optional) return limits;
  const message = `${subject} must be given in ${rest.optional ? 'GraphQL' : 'REST'}, and need not in the other`;
  const places = [rest.where, argument.where];
  return [{ id: `required:${subject}`, message, advice: 'Require it in both, or in neither.', places }, ...limits];
}

/** Compares the inputs of paired calls: presence, types, limits. */
export const compareInputs = ({ calls }: Pairs): Difference[] => calls.flatMap(compareCall);

/** A call that writes columns of prisma/schema.prisma. */
export interface Stored {
  call: Call;
  pair: Pair<Shape>;
  members: { subject: string; input: Member; column: Member }[];
}

/** Returns the calls that write members of the type of their answer, with the columns. */
export const storedCalls = ({ shapes }: Pairs, calls: readonly Call[], openapi: Contract): Stored[] =>
  calls.flatMap((call) => {
    const pair = shapes.find(({ sides }) => call.result !== undefined && sides[call.where.side]?.name === call.result);
    if (pair === undefined) return [];
    const rows = rowsOf(pair, openapi);
    const members = flattened(call.written, pair.override, openapi).flatMap((input) => {
      const column = rows.get(input.key)?.prisma;
      return column === undefined ? [] : [{ subject: `${pair.name}.${input.key}`, input, column }];
    });
    return members.length === 0 ? [] : [{ call, pair, members }];
  });

/** Compares the inputs that calls write with the columns: types, lengths, ranges, required values. */
export const compareStored = (stored: readonly Stored[]): Difference[] =>
  stored.flatMap(({ call, members }) =>
    members.flatMap(({ subject, input, column }) => {
      const { side } = input.where;
      const title = TITLES[side];
      const report = (kind: string, message: string, advice: string): Difference => ({
        id: `${kind}:${subject}:${side}-prisma`,
        message: `${subject} ${message}`,
        advice,
        places: [input.where, column.where],
      });
      const found = compareTypes(subject, input, column);
      const { maxLength } = input.limits;
      const length = column.limits.maxLength;
      if (length !== undefined && !(maxLength !== undefined && maxLength <= length)) {
        const limit = maxLength === undefined ? 'not limited' : `up to ${maxLength} characters`;
        const advice = `Give ${title} a maxLength of at most ${length}, or widen the column.`;
        found.push(report('length', `is ${limit} in ${title}, and the column holds ${length}`, advice));
      }
      // An Int of GraphQL is as wide as one of Prisma. An id that is too large is looked for and not found.
      const isInteger = input.type === 'integer' && column.type === 'Int' && !isId(input);
      if (isInteger && (input.limits.max ?? Number.POSITIVE_INFINITY) > INT_MAX) {
        const advice = `Give REST a maximum of at most ${INT_MAX}, or make the column BigInt.`;
        found.push(report('range', `may be larger in REST than the column holds (${INT_MAX})`, advice));
      }
      const creates = /^(create|add)|\.(create|add)/.test(call.name);
      if (creates && input.optional && !column.optional && !column.filled) {
        const message = `may be left out when it is created in ${title}, and the column has no default`;
        found.push(report('required', message, `Require it in ${title}, or give the column a @default.`));
      }
      return found;
    }),
  );
