/** Limits reads to the rows that the caller may read. @module */

import { type Field, Prisma } from '../../database/client.js';
import { type Actor, type Call, forbidden, reachOf } from '../calls/access.js';
import { type Args, filtered, isArgs, mapMembers, rulesOf, withFilters, withMember } from './call-arguments.js';
import type { ClientAccess } from './call-transaction.js';
import type { AllowedCall } from './model.js';
import type { ModelData } from './model-data.js';

/** Returns the filter of the rows that the caller may read; undefined for all rows. @throws Failure FORBIDDEN */
export type Readable = (data: ModelData) => object | undefined;

export function readableRows({ policy }: Pick<Call, 'policy'>, actor: Actor, data: ModelData): object | undefined {
  const { read } = data.model;
  const reach = reachOf(policy, read, actor);
  if (reach === 'none') throw forbidden(actor, read);
  return reach === 'own' ? data.ownedBy(actor) : undefined;
}

/** Returns the filters of a call. The system may read all rows. */
export const readableBy =
  ({ call, action, actor }: ClientAccess): Readable =>
  (data) =>
    action === undefined ? undefined : readableRows(call, actor(), data);

/** Limits a read and its relations to the rows that the caller may read, and to visible members. */
export function scopedArgs(data: ModelData, operation: AllowedCall, args: Args, readable: Readable): Args {
  const own = readable(data);
  const filters = own ? [own] : [];
  return filtered(limitedArgs(data, operation, args, readable, filters), filters);
}

/**
 * Limits the relations of a call to the rows that the caller may read, and to visible members.
 * @param filters receives those that a row must satisfy for its to-one relations, which the caller may not read otherwise
 */
export function limitedArgs(
  data: ModelData,
  operation: AllowedCall,
  args: Args,
  readable: Readable,
  filters: object[],
): Args {
  const rules = rulesOf(data, operation, args);
  for (const member in args) {
    if (rules[member] === 'order') refuseUnreadableOrder(data, args, readable);
    if (rules[member] === 'names') for (const name of namesIn(args[member])) refuseHidden(data, name);
  }
  const selected = rules['select'] === 'selection' ? visibleArgs(data, args, readable, filters) : args;
  const scoped = scopedMember(selected, 'where', (where) => scopedWhere(data, where, readable));
  return scopedMember(scoped, 'cursor', (cursor) => clampedCursor(data, cursor));
}

const scopedMember = (args: Args, member: string, scope: (value: unknown) => unknown): Args =>
  Object.hasOwn(args, member) ? withMember(args, member, scope(args[member])) : args;

/** Returns the names of members in a selection, a `where`, or a list of names. */
const namesIn = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [value] : isArgs(value) ? Object.keys(value) : [];
};

function refuseHidden(data: ModelData, member: unknown): void {
  if (Object.hasOwn(data.hidden, member as string))
    throw new TypeError(`db.${data.delegate}: \`${member}\` is hidden from operations.`);
}

/** @throws TypeError for a model that is not declared */
function relatedModel(data: ModelData, member: string): ModelData {
  const relation = data.relations.get(member);
  if (relation) return relation.to;
  throw new TypeError(`db.${data.delegate}: declare the model behind \`${member}\` in the \`models\` first.`);
}

const fieldOf = ({ stored: { fields } }: ModelData, member: string) =>
  Object.hasOwn(fields, member) ? fields[member] : undefined;

/** Refuses an order that reveals hidden members or rows of others, and a cursor at a row of others. */
function refuseUnreadableOrder(data: ModelData, { orderBy, cursor }: Args, readable: Readable): void {
  const ordered = [orderBy].flat().flatMap((order) => (isArgs(order) ? Object.entries(order) : []));
  for (const [member, value] of ordered) {
    refuseHidden(data, member);
    const field = fieldOf(data, member);
    if (!field) throw new TypeError(`db.${data.delegate}: rows cannot be ordered by \`${member}\`.`);
    if (field.kind !== 'object') continue;
    const to = relatedModel(data, member);
    if (readable(to))
      throw new TypeError(`db.${data.delegate}: the caller may not read all rows by which \`${member}\` orders.`);
    if (isArgs(value) && !('_count' in value)) refuseUnreadableOrder(to, { orderBy: value }, readable);
  }
  if (isArgs(cursor) && readable(data) && ordered.some(([member]) => !(member in cursor)))
    throw new TypeError(`db.${data.delegate}: order by the members of \`cursor\` only.`);
}

const RANGES: Readonly<Record<string, readonly [least: number | bigint, most: number | bigint]>> = {
  Int: [-2_147_483_648, 2_147_483_647],
  BigInt: [-(2n ** 63n), 2n ** 63n - 1n],
};
/** The spellings of PostgreSQL. */
const UUID = /^\{?([\da-f]{4}-?){8}\}?$/i;
const NO_ROW = { in: [] };
const LOGICAL = /^(AND|OR|NOT)$/;

/** Returns false for a number or a UUID that PostgreSQL cannot store in the column, such as the id of no row. */
export function isStorable(field: Field | undefined, value: unknown): boolean {
  if (typeof value === 'string') return !field?.isUuid || UUID.test(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return true;
  const range = RANGES[field?.type ?? ''];
  return !range || (value >= range[0] && value <= range[1]);
}

/** Returns true for a unique `where` with a value that no row can have. */
export const namesNoRow = (data: ModelData, where: Args): boolean =>
  Object.entries(where).some(([member, value]) => {
    const field = fieldOf(data, member);
    return field ? !isStorable(field, value) : isArgs(value) && !LOGICAL.test(member) && namesNoRow(data, value);
  });

/** Replaces values that no row can have by one that none has. */
export const clampedCursor = (data: ModelData, cursor: unknown): unknown =>
  isArgs(cursor)
    ? mapMembers(cursor, (member, value) => {
        const field = fieldOf(data, member);
        if (!field) return LOGICAL.test(member) ? value : clampedCursor(data, value);
        return isStorable(field, value) ? value : field.isUuid ? '0'.repeat(32) : 0;
      })
    : cursor;

/**
 * Limits the relations in a `where` to permitted rows. Numbers beyond the range of a column match nothing. Everything
 * else stays as it is, so that Prisma refuses `undefined`.
 * @throws TypeError for a hidden member and for an undeclared model
 */
export function scopedWhere(data: ModelData, where: unknown, readable: Readable): unknown {
  if (Array.isArray(where)) return where.map((condition) => scopedWhere(data, condition, readable));
  if (!isArgs(where)) return where;
  return mapMembers(where, (member, value) => {
    if (LOGICAL.test(member)) return scopedWhere(data, value, readable);
    refuseHidden(data, member);
    const field = fieldOf(data, member);
    if (field?.kind === 'object') return relationFilter(data, member, value, readable);
    if (field) return clampToRange(field, value);
    // The name of a unique key with several members.
    for (const name of namesIn(value)) refuseHidden(data, name);
    return value;
  });
}

/** Limits a filter by related rows to those that the caller may read. */
function relationFilter(data: ModelData, member: string, value: unknown, readable: Readable): unknown {
  const to = relatedModel(data, member);
  const own = readable(to);
  if (!isArgs(value)) return value;
  const filters = own ? [own] : [];
  const limited = (where: unknown) => (isArgs(where) ? withFilters(scopedWhere(to, where, readable), filters) : where);
  const names = Object.keys(value);
  const isList = data.stored.fields[member]?.isList;
  if (!isList && (names.length === 0 || names.some((name) => name !== 'is' && name !== 'isNot'))) return limited(value);
  return mapMembers(value, (operator, condition) => {
    if (operator !== 'every' || !own || !isArgs(condition)) return limited(condition);
    // Prisma ignores an empty object in `OR`.
    return { OR: [{ NOT: own }, limited(condition)] };
  });
}

/** A value beyond the range of the column equals none. A comparison with it matches none, or all but null. */
function clampToRange(field: Field, value: unknown): unknown {
  const range = RANGES[field.type];
  if (field.isList || !(range || field.isUuid)) return value;
  if (!isArgs(value)) return isStorable(field, value) ? value : NO_ROW;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  let added: 'in' | 'lte' | undefined;
  const clamped = mapMembers(value, (operator, operand) => {
    if (!/^(equals|not|in|notIn|[lg]te?)$/.test(operator)) return operand;
    if (operator === 'not' && isArgs(operand)) return clampToRange(field, operand);
    if (/in$/i.test(operator)) {
      if (!Array.isArray(operand) || operand.every((item) => isStorable(field, item))) return operand;
      return operand.filter((item) => isStorable(field, item));
    }
    // Prisma refuses NaN.
    if (isStorable(field, operand) || Number.isNaN(operand)) return operand;
    if (operator === 'not') return NO_ROW;
    const isAny = range && operator[0] === ((operand as number) > 0 ? 'l' : 'g');
    added = isAny && added !== 'in' ? 'lte' : 'in';
    return Prisma.skip;
  });
  if (added === 'in') return withMember(clamped, 'in', []);
  const isBound = Object.hasOwn(clamped, 'lte') && clamped['lte'] !== Prisma.skip;
  return added && range && !isBound ? withMember(clamped, 'lte', range[1]) : clamped;
}

/** Omits hidden members, and filters lists. */
function visibleArgs(data: ModelData, args: Args, readable: Readable, filters: object[]): Args {
  const members = (given: unknown): unknown =>
    isArgs(given)
      ? mapMembers(given, (name, value) => {
          if (!isSelected(data, name, value)) return value;
          if (name === '_count') return visibleCounts(data, value, readable);
          return fieldOf(data, name)?.kind === 'object' ? relation(name, value) : value;
        })
      : given;
  const relation = (name: string, value: true | Args): unknown => {
    const to = relatedModel(data, name);
    const given = value === true ? NO_ARGS : value;
    const isList = data.stored.fields[name]?.isList;
    const filter = isList ? undefined : readable(to);
    const nested: object[] = filter ? [filter] : [];
    const scoped = isList
      ? scopedArgs(to, 'findMany', given, readable)
      : limitedArgs(to, 'findUnique', given, readable, nested);
    for (const condition of nested) filters.push({ [name]: condition });
    return scoped === given ? value : scoped;
  };
  const { select, include, omit } = args as Record<string, object | undefined>;
  const included = include ? withMember(args, 'include', members(include)) : args;
  if (select) return withMember(included, 'select', members(select));
  return data.visible.omit ? withMember(included, 'omit', Object.assign({}, omit, data.hidden)) : included;
}

const NO_ARGS: Args = {};

/** Returns false for a member that Prisma does not select. @throws TypeError for what Prisma would take for true */
function isSelected(data: ModelData, name: string, value: unknown): value is true | Args {
  if (value === false || value === undefined || value === Prisma.skip) return false;
  refuseHidden(data, name);
  if (value === true || isArgs(value)) return true;
  throw new TypeError(`db.${data.delegate}: select \`${name}\` with true or with an object.`);
}

/** Counts only the related rows that the caller may read. */
function visibleCounts(data: ModelData, value: true | Args, readable: Readable): Args {
  const lists = [...data.relations].filter(([, { isList }]) => isList).map(([name]) => [name, true]);
  const counted = value === true ? { select: Object.fromEntries(lists) as unknown } : value;
  const { select } = counted;
  if (!isArgs(select)) return counted;
  const visible = mapMembers(select, (name, of) => {
    if (!isSelected(data, name, of)) return of;
    const to = relatedModel(data, name);
    const given = of === true ? NO_ARGS : of;
    const limited = scopedArgs(to, 'count', given, readable);
    return limited === given ? of : limited;
  });
  return withMember(counted, 'select', visible);
}
