/** The arguments of Prisma's calls, and changes of them that lose no member. @module */

import { Prisma } from '../../database/client.js';
import type { AllowedCall, ModelName } from './model.js';
import type { ModelData } from './model-data.js';

export type Args = Readonly<Record<string, unknown>>;

/** Says what a member of the arguments contains. A `value` is passed on as it is. */
type Rule = 'where' | 'selection' | 'order' | 'names' | 'data' | 'value';

type Models = Prisma.TypeMap['model'];
type MemberOf<Name extends AllowedCall> = {
  [Model in ModelName]: keyof Models[Model]['operations'][Name]['args'];
}[ModelName];

const selection = {
  select: 'selection',
  include: 'selection',
  omit: 'selection',
  relationLoadStrategy: 'value',
} as const;
const unique = { ...selection, where: 'where' } as const;
const range = { where: 'where', orderBy: 'order', cursor: 'names', take: 'value', skip: 'value' } as const;
const list = { ...selection, ...range, distinct: 'names' } as const;
const numbers = { _count: 'names', _avg: 'names', _sum: 'names', _min: 'names', _max: 'names' } as const;

/** All members of each call. A new member of a release of Prisma does not compile until it has a rule. */
const RULES = {
  findUnique: unique,
  findUniqueOrThrow: unique,
  findFirst: list,
  findFirstOrThrow: list,
  findMany: list,
  count: { ...range, select: 'names' },
  aggregate: { ...range, ...numbers },
  create: { ...selection, data: 'data' },
  createMany: { data: 'data', skipDuplicates: 'value' },
  update: { ...unique, data: 'data' },
  updateMany: { where: 'where', data: 'data', limit: 'value' },
  delete: unique,
  deleteMany: { where: 'where', limit: 'value' },
} satisfies { [Name in AllowedCall]: Record<MemberOf<Name>, Rule> };

/** @throws TypeError for a member that has no rule, or that a copy would lose */
export function rulesOf({ delegate }: ModelData, operation: AllowedCall, args: Args): Readonly<Record<string, Rule>> {
  const rules: Readonly<Record<string, Rule>> = RULES[operation];
  for (const member in args)
    if (!Object.hasOwn(rules, member) || !Object.hasOwn(args, member))
      throw new TypeError(`db.${delegate}.${operation}: \`${member}\` is not an argument of this call.`);
  return rules;
}

/** Returns false for `undefined`, null and `Prisma.skip`, which keep their place and Prisma's meaning. */
export const isArgs = (value: unknown): value is Args =>
  typeof value === 'object' && value !== null && value !== Prisma.skip;

/** Returns the object with another value of a member. Copies it only for a change. */
export function withMember<T extends object>(object: T, member: string, value: unknown): T {
  if ((object as Args)[member] === value) return object;
  // Without spread, which makes a hidden class for each call.
  const copy = Object.assign({}, object);
  (copy as Record<string, unknown>)[member] = value;
  return copy;
}

/** Replaces members by `change`. Copies the object only for a change. @throws TypeError for an inherited member */
export function mapMembers(object: Args, change: (member: string, value: unknown) => unknown): Args {
  if (typeof object['toJSON'] === 'function')
    throw new TypeError('An object with `toJSON` cannot be read as arguments.');
  let changed = object;
  for (const member in object) {
    // Prisma reads inherited members, which a copy would lose, and gives names such as `__proto__` another meaning.
    if (!Object.hasOwn(object, member) || member.startsWith('__'))
      throw new TypeError(`\`${member}\` cannot be a member of the arguments of a call.`);
    const value = object[member];
    const replaced = change(member, value);
    if (replaced === value) continue;
    if (changed === object) changed = Object.assign({}, object);
    (changed as Record<string, unknown>)[member] = replaced;
  }
  return changed;
}

/**
 * Adds filters to a `where`, whose members stay at the top level: Prisma wants a unique member there, and takes an
 * empty `OR` inside of `AND` as every row. Prisma refuses `undefined` and null inside of `AND`.
 */
export function withFilters(where: unknown, filters: readonly object[]): unknown {
  if (filters.length === 0) return where;
  if (!isArgs(where)) return { AND: [where, ...filters] };
  const { AND } = where;
  if (isArgs(AND)) return withMember(where, 'AND', [AND, filters].flat());
  return withMember(where, 'AND', Object.hasOwn(where, 'AND') ? [{ AND }, ...filters] : filters);
}

/** Adds filters to a call. */
export function filtered<T extends Args>(args: T, filters: readonly object[]): T {
  const isGiven = Object.hasOwn(args, 'where') && args['where'] !== Prisma.skip;
  return filters.length === 0 ? args : withMember(args, 'where', withFilters(isGiven ? args['where'] : {}, filters));
}

/** Returns the members in a `where`, at any depth. */
export function membersIn(where: unknown, found = new Set<string>()): Set<string> {
  if (typeof where !== 'object' || where === null) return found;
  for (const [member, value] of Object.entries(where)) membersIn(value, found.add(member));
  return found;
}
