import type { ModelData } from './model-data.js';

type Args = Readonly<Record<string, unknown>>;

/**
 * Returns the filter of the rows of a model that the caller may read; undefined for all rows.
 * @throws Failure FORBIDDEN for a role that may read none
 */
export type Readable = (data: ModelData) => object | undefined;

/** What a call selects, and filters on the rows above that follow from it. */
interface Shown {
  readonly selection: Args;
  readonly parents: readonly object[];
}

/** Limits the arguments of a read, and of the relations that it selects, to the rows that the caller may read. */
export function scopedArgs(data: ModelData, args: Args, readable: Readable): Args {
  const { where, select, include, omit, ...rest } = args;
  const own = readable(data);
  const { selection, parents } = shownMembers(data, { select, include, omit }, readable);
  return { ...rest, ...selection, ...filtered(storable(data, where), own ? [own, ...parents] : parents) };
}

/** The range of PostgreSQL's `integer`. */
const MAX_INT = 2_147_483_647;
const isInRange = (value: unknown): boolean => typeof value !== 'number' || (value >= -MAX_INT && value <= MAX_INT);
/** A filter that no row satisfies. */
const NO_ROW = { in: [] };

/** Returns a `where` in which numbers that no column of integers can hold match nothing, instead of being an error of Prisma. */
function storable(data: ModelData, where: unknown): unknown {
  const members = Object.entries((where ?? {}) as Args);
  const isTooLarge = ([member, value]: [string, unknown]) =>
    data.stored.fields[member]?.type === 'Int' &&
    !(typeof value === 'object' && value !== null ? Object.values(value).every(isInRange) : isInRange(value));
  if (!members.some(isTooLarge)) return where;
  return Object.fromEntries(members.map((one) => (isTooLarge(one) ? [one[0], bounded(one[1])] : one)));
}

/** An order comparison is moved to the end of the range; anything else matches nothing. */
function bounded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return NO_ROW;
  const clamp = (one: number) => Math.max(-MAX_INT, Math.min(one, MAX_INT));
  return Object.fromEntries(
    Object.entries(value).flatMap(([operator, limit]) => {
      if (isInRange(limit)) return [[operator, limit]];
      return /^[lg]te?$/.test(operator) ? [[operator, clamp(limit as number)]] : Object.entries(NO_ROW);
    }),
  );
}

/** Adds filters to a `where`, which may be one of a unique row. */
export function filtered(where: unknown, filters: readonly object[]): { where?: unknown } {
  if (filters.length === 0) return where === undefined ? {} : { where };
  const and = [(where as { AND?: object | object[] } | undefined)?.AND ?? []].flat();
  return { where: { ...(where as object | undefined), AND: [...and, ...filters] } };
}

/**
 * Limits what a call selects: hidden members are left out, lists are filtered. A row is left out when it is selected together with a
 * single row that the caller may not read, because Prisma cannot filter that one.
 * @throws TypeError for a hidden member and for a relation to a model that is not declared
 */
export function shownMembers(data: ModelData, { select, include, omit }: Args, readable: Readable): Shown {
  const parents: object[] = [];
  const hides = Object.keys(data.hidden).length > 0;
  const relation = (name: string, value: unknown): unknown => {
    const to = data.relations.get(name);
    if (!to) throw new TypeError(`db.${data.delegate}: declare the model behind \`${name}\` in the \`models\` first.`);
    if (to.isList) return scopedArgs(to.to, value === true ? {} : (value as Args), readable);
    const filter = readable(to.to);
    const { selection, parents: above } = shownMembers(to.to, value === true ? {} : (value as Args), readable);
    for (const one of filter ? [filter, ...above] : above) parents.push({ [name]: one });
    return Object.keys(selection).length > 0 ? selection : true;
  };
  const members = (given: Args): Args =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
        if (value === undefined || value === false) return [];
        if (name in data.hidden) throw new TypeError(`db.${data.delegate}: \`${name}\` is hidden from operations.`);
        if (name === '_count') return [[name, counts(value)]];
        return [[name, data.stored.fields[name]?.kind === 'object' ? relation(name, value) : value]];
      }),
    );
  /** Counts of relations, each with its filter. */
  const counts = (value: unknown): unknown => {
    const lists = [...data.relations].filter(([, { isList }]) => isList).map(([name]) => [name, true]);
    const asked = value === true ? Object.fromEntries(lists) : ((value as { select?: Args }).select ?? {});
    const each = Object.entries(asked as Args).map(([name, of]) => {
      const to = data.relations.get(name);
      if (!to)
        throw new TypeError(`db.${data.delegate}: declare the model behind \`${name}\` in the \`models\` first.`);
      const filter = readable(to.to);
      return [name, filter ? filtered((of as { where?: unknown }).where, [filter]) : of];
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
