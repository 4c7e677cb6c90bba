import type { Limits, Member, Side, Where } from './side.js';

/** What two or three documents say differently. */
export interface Difference {
  /** Stays the same when lines move, for `x-bridge` to accept it: kind, subject, and what of it. */
  id: string;
  message: string;
  /** What to do about it. */
  advice: string;
  places: Where[];
}

/** The types of each document that a type of another may be held by; what is not named fits itself alone. */
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

/** Whether it names a thing: `id`, `user_id`, `channelId`. */
export const isId = ({ key }: Member) => key === 'id' || key.endsWith('Id');

/** Whether two members' types, without regard to null, say the same of a value. `one` comes before `other` in SIDES. */
export function fits(one: Side, other: Side, a: Member, b: Member): boolean {
  if (a.list !== b.list) return false;
  if (a.type === 'any' || b.type === 'any') return true;
  // What one contract calls an id is an ID in GraphQL, where nobody should calculate with it.
  if (other === 'graphql' && isId(a) && isId(b)) return b.type === 'ID';
  return a.type === b.type || (FITS[`${one}-${other}`]?.[a.type]?.includes(b.type) ?? false);
}

export const TITLES: Record<Side, string> = { openapi: 'REST', graphql: 'GraphQL', prisma: 'Prisma' };

/** That a member is of types which do not hold the same values. */
export const typeDifference = (subject: string, one: Side, other: Side, a: Member, b: Member): Difference => ({
  id: `type:${subject}:${one}-${other}`,
  message: `${subject} is of another type in ${TITLES[one]} than in ${TITLES[other]}`,
  advice: 'Give both a type that holds the same values.',
  places: [a.where, b.where],
});

const LIMITS = ['min', 'max', 'minLength', 'maxLength', 'pattern', 'format', 'uncommon'] as const;

const stated = (value: unknown) => (value === undefined ? 'none' : `${value}`);

/** The differences of the limits, and of the defaults where both have one, of what REST and GraphQL take. */
export function limitDifferences(subject: string, rest: Member, argument: Member): Difference[] {
  // Ids are read as the id of their kind, whatever the schema of a path says of numbers.
  const all: readonly (keyof Limits)[] = argument.type === 'ID' && rest.type === 'integer' ? [] : LIMITS;
  const differing = all.filter((name) => rest.limits[name] !== argument.limits[name]);
  const ofDefault = rest.default !== undefined && argument.default !== undefined && rest.default !== argument.default;
  const found = differing.map((name) => [name, rest.limits[name], argument.limits[name]] as const);
  const defaults = ofDefault ? [['default', rest.default, argument.default] as const] : [];
  return [...found, ...defaults].map(([name, ofRest, ofGraphql]) => ({
    id: `limit:${subject}:${name}`,
    message: `${subject}: ${name} is ${stated(ofRest)} in REST and ${stated(ofGraphql)} in GraphQL`,
    advice: `Give both the same ${name}: in GraphQL by @constraint.`,
    places: [rest.where, argument.where],
  }));
}
