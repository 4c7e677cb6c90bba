/** Limits reads to the rows that the caller may read, and checks the owner of the row that a request addresses. @module */

import { type Actor, type Call, forbidden, reachOf } from '../calls/access.js';
import type { Failure } from '../calls/errors.js';
import { isStorableId, notFound } from '../calls/rows.js';
import type { AnyRow, Tx } from './model.js';
import { type DeclaredModels, delegateOf, type ModelData, matchesLocally, rowSatisfies } from './model-data.js';
import type { RecordTarget } from './route.js';

type Args = Readonly<Record<string, unknown>>;

/** Returns the filter of the rows that the caller may read; undefined for all rows. @throws Failure FORBIDDEN */
export type Readable = (data: ModelData) => object | undefined;

export function readableRows({ policy }: Pick<Call, 'policy'>, actor: Actor, data: ModelData): object | undefined {
  const { read } = data.model;
  const reach = reachOf(policy, read, actor);
  if (reach === 'none') throw forbidden(actor, read);
  return reach === 'own' ? data.ownedBy(actor) : undefined;
}

/** A selection of permitted rows, and the filters that the selecting rows must satisfy for it. */
interface VisibleSelection {
  readonly selection: Args;
  readonly parents: readonly object[];
}

/** Limits a read and its relations to the rows that the caller may read. */
export function scopedArgs(data: ModelData, args: Args, readable: Readable): Args {
  const { where, select, include, omit, ...rest } = args;
  const own = readable(data);
  const { selection, parents } = visibleSelection(data, { select, include, omit }, readable);
  refuseUnreadableOrder(data, rest, readable);
  const filters = own ? [own, ...parents] : parents;
  return { ...rest, ...selection, ...withFilters(scopedWhere(data, where, readable), filters) };
}

/** Limits `count` and `aggregate` to the rows that the caller may read, and to visible members. */
export function scopedAggregate(data: ModelData, args: Args, readable: Readable): Args {
  const { where, ...rest } = args;
  const own = readable(data);
  refuseUnreadableOrder(data, rest, readable);
  for (const of of ['select', '_count', '_min', '_max', '_sum', '_avg'])
    for (const member of membersOf(rest[of])) refuseHidden(data, member);
  return { ...rest, ...withFilters(scopedWhere(data, where, readable), own ? [own] : []) };
}

const membersOf = (value: unknown): string[] => (typeof value === 'object' && value !== null ? Object.keys(value) : []);

function refuseHidden(data: ModelData, member: string): void {
  if (Object.hasOwn(data.hidden, member))
    throw new TypeError(`db.${data.delegate}: \`${member}\` is hidden from operations.`);
}

/** @throws TypeError for a model that is not declared */
function relatedModel(data: ModelData, member: string): ModelData {
  const relation = data.relations.get(member);
  if (relation) return relation.to;
  throw new TypeError(`db.${data.delegate}: declare the model behind \`${member}\` in the \`models\` first.`);
}

/** Refuses an order that reveals hidden members or rows of others, and a cursor at a row of others. */
function refuseUnreadableOrder(data: ModelData, { orderBy, cursor, distinct }: Args, readable: Readable): void {
  const ordered = [orderBy ?? []].flat().flatMap((one) => Object.entries(one as Args));
  for (const [member, value] of ordered) {
    refuseHidden(data, member);
    if (data.stored.fields[member]?.kind !== 'object') continue;
    const to = relatedModel(data, member);
    if (readable(to))
      throw new TypeError(`db.${data.delegate}: the caller may not read all rows by which \`${member}\` orders.`);
    if (!('_count' in (value as Args))) refuseUnreadableOrder(to, { orderBy: value }, readable);
  }
  for (const member of [...membersOf(cursor), ...[distinct ?? []].flat()]) refuseHidden(data, member as string);
  if (cursor !== undefined && readable(data) && ordered.some(([member]) => !(member in (cursor as Args))))
    throw new TypeError(`db.${data.delegate}: order by the members of \`cursor\` only.`);
}

/** The range of PostgreSQL's `integer`. */
const MAX_INT = 2_147_483_647;
const isInRange = (value: unknown): boolean => typeof value !== 'number' || (value >= -MAX_INT && value <= MAX_INT);
const NO_ROW = { in: [] };
const LOGICAL_OPERATORS = ['AND', 'OR', 'NOT'];

/**
 * Limits a `where` and its relations to permitted rows. Numbers beyond the integer range match nothing.
 * @throws TypeError for a hidden member, for an undeclared model, and for `undefined`, which Prisma takes as "every
 * row"
 */
export function scopedWhere(data: ModelData, where: unknown, readable: Readable): Args | undefined {
  if (where === undefined || where === null) return undefined;
  const scoped = (one: unknown) => scopedWhere(data, one, readable);
  const members = Object.entries(where as Args).map(([member, value]): [string, unknown] => {
    if (LOGICAL_OPERATORS.includes(member)) return [member, Array.isArray(value) ? value.map(scoped) : scoped(value)];
    const field = data.stored.fields[member];
    for (const one of field ? [member] : membersOf(value)) refuseHidden(data, one);
    if (field?.kind === 'object') return [member, relationFilter(data, member, value, readable)];
    if (value === undefined || (isPlain(value) && Object.values(value).includes(undefined)))
      throw new TypeError(`db.${data.delegate}: \`where.${member}\` is undefined.`);
    return [member, field?.type === 'Int' ? clampToRange(value) : value];
  });
  return Object.fromEntries(members);
}

const isPlain = (value: unknown): value is Args =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Limits a filter by related rows to those that the caller may read. */
function relationFilter(data: ModelData, member: string, value: unknown, readable: Readable): unknown {
  const to = relatedModel(data, member);
  const own = readable(to);
  const limited = (one: unknown) =>
    one === null ? null : (withFilters(scopedWhere(to, one, readable), own ? [own] : []).where ?? {});
  const operators = membersOf(value);
  const isOperator = operators.length > 0 && operators.every((one) => /^(some|none|every|is|isNot)$/.test(one));
  if (!isOperator) return limited(value);
  return Object.fromEntries(
    Object.entries(value as Args).map(([operator, one]) =>
      operator === 'every' && own
        ? [operator, { OR: [{ NOT: own }, scopedWhere(to, one, readable) ?? {}] }]
        : [operator, limited(one)],
    ),
  );
}

const isAllInRange = (value: unknown): boolean => (Array.isArray(value) ? value.every(isInRange) : isInRange(value));

/** Clamps comparisons to the integer range. Other numbers beyond it match nothing. */
function clampToRange(value: unknown): unknown {
  if (!isPlain(value)) return isInRange(value) ? value : NO_ROW;
  if (Object.values(value).every(isAllInRange)) return value;
  const clamp = (one: number) => Math.max(-MAX_INT, Math.min(one, MAX_INT));
  return Object.fromEntries(
    Object.entries(value).flatMap(([operator, limit]): [string, unknown][] => {
      if (Array.isArray(limit)) return [[operator, limit.filter(isInRange)]];
      if (isInRange(limit)) return [[operator, limit]];
      if (operator === 'not') return [];
      return /^[lg]te?$/.test(operator) ? [[operator, clamp(limit as number)]] : Object.entries(NO_ROW);
    }),
  );
}

/** Adds filters to a `where`, which may select a unique row. */
export function withFilters(where: unknown, filters: readonly object[]): { where?: unknown } {
  if (filters.length === 0) return where === undefined ? {} : { where };
  const and = [(where as { AND?: object | object[] } | undefined)?.AND ?? []].flat();
  return { where: { ...(where as object | undefined), AND: [...and, ...filters] } };
}

/** Omits hidden members, filters lists, and excludes rows whose to-one relations the caller may not read. */
export function visibleSelection(
  data: ModelData,
  { select, include, omit }: Args,
  readable: Readable,
): VisibleSelection {
  const parents: object[] = [];
  const hides = Object.keys(data.hidden).length > 0;
  const relation = (name: string, value: unknown): unknown => {
    const to = relatedModel(data, name);
    const args = value === true ? {} : (value as Args);
    if (data.stored.fields[name]?.isList) return scopedArgs(to, args, readable);
    const filter = readable(to);
    const { selection, parents: nested } = visibleSelection(to, args, readable);
    for (const one of filter ? [filter, ...nested] : nested) parents.push({ [name]: one });
    return Object.keys(selection).length > 0 ? selection : true;
  };
  const members = (given: Args): Args =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
        if (value === undefined || value === false) return [];
        refuseHidden(data, name);
        if (name === '_count') return [[name, counts(value)]];
        return [[name, data.stored.fields[name]?.kind === 'object' ? relation(name, value) : value]];
      }),
    );
  const counts = (value: unknown): unknown => {
    const lists = [...data.relations].filter(([, { isList }]) => isList).map(([name]) => [name, true]);
    const selected = value === true ? Object.fromEntries(lists) : ((value as { select?: Args }).select ?? {});
    const each = Object.entries(selected as Args).map(([name, of]) => {
      const to = relatedModel(data, name);
      const filter = readable(to);
      const where = scopedWhere(to, (of as { where?: unknown }).where, readable);
      return [name, filter || where ? withFilters(where, filter ? [filter] : []) : of];
    });
    return { select: Object.fromEntries(each) };
  };
  if (select !== undefined) return { selection: { select: members(select as Args) }, parents };
  return {
    selection: {
      ...(include !== undefined && { include: members(include as Args) }),
      ...(hides || omit !== undefined ? { omit: { ...(omit as object | undefined), ...data.hidden } } : {}),
    },
    parents,
  };
}

interface TargetRowsOptions {
  readonly models: DeclaredModels;
  readonly call: Call;
  readonly action: string;
  /** The caller with its current role. */
  readonly actor: () => Actor;
  readonly idOf: (target: RecordTarget) => number;
}

/** Loads the rows of targets, and checks their owners. */
export function targetRows({ models, call, action, actor, idOf }: TargetRowsOptions) {
  const isOwnOnly = (): boolean => reachOf(call.policy, action, actor()) === 'own';

  const denied = ({ model: { name } }: RecordTarget, by = action): Failure => {
    const { model } = models({ name });
    return model.conceal ? notFound(model) : forbidden(actor(), by);
  };

  return {
    isOwnOnly,
    denied,

    /** Decides by the id alone. Undefined if the id does not decide, or if the caller may access all rows. */
    isOwnById(target: RecordTarget): boolean | undefined {
      const where = isOwnOnly() ? models(target.model).ownedBy(actor()) : undefined;
      return where && matchesLocally(where as Record<string, unknown>, { id: idOf(target) });
    },

    /** @param by the action @throws Failure FORBIDDEN for a row that the caller may not access */
    async requireAccess(tx: Tx, target: RecordTarget, row: AnyRow, by = action): Promise<void> {
      const data = models(target.model);
      const reach = reachOf(call.policy, by, actor());
      const where = reach === 'own' ? data.ownedBy(actor()) : undefined;
      if (reach === 'none' || (where && !(await rowSatisfies(tx, data, where, row)))) throw denied(target, by);
    },

    /** @param selection Prisma's `select`; all visible members by default */
    find(tx: Tx, target: RecordTarget, selection?: object): Promise<AnyRow | null> {
      const id = idOf(target);
      const data = models(target.model);
      if (data.hasNumericId && !isStorableId(id)) return Promise.resolve(null);
      return delegateOf(tx, data).findUnique({
        where: { id },
        ...(selection ?? data.visible),
      }) as Promise<AnyRow | null>;
    },
  };
}
