import type { Prisma } from '../../database/client.js';
import { macs, type Secrets } from '../secrets.js';
import { Failure } from './errors.js';

/** A row that counts the changes of its representation. */
export interface Versioned {
  readonly id: number;
  readonly version: number;
}

/**
 * Returns the strong entity tag of a row (RFC 9110 §8.8.3).
 * @example
 * return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order) };
 */
export const resourceTag = ({ id, version }: Versioned): string => `"${id}-${version}"`;

/** Returns the generation of the database; undefined if it was never restored. */
export type CurrentGeneration = () => string | undefined;

/** Adds the generation to a tag, because rows of a restored database have the ids and versions of lost ones. */
export const tagOfGeneration = (tag: string, generation: string | undefined): string =>
  generation === undefined ? tag : tag.replace(/"$/, `-${generation}"`);

/** Returns the failure of an `If-Match` without the row's tag. A weak tag never matches (RFC 9110 §13.1.1). */
export function preconditionFailure(header: string, row: Versioned, generation?: string): Failure | undefined {
  const tag = tagOfGeneration(resourceTag(row), generation);
  if (header.trim() === '*' || header.split(',').some((part) => part.trim() === tag)) return undefined;
  return new Failure('PRECONDITION_FAILED', 'If-Match does not name the present version of this resource.');
}

interface NamedModel {
  readonly name: string;
  readonly noun: string;
  /** Hides whether rows of other callers exist. Deleted rows have no owner, so they are hidden as well. */
  readonly conceal?: boolean;
}

export const tombstoneKind = ({ name }: Pick<NamedModel, 'name'>): string => name.toUpperCase();

/** Does not reveal whether the row ever existed. */
export const notFound = ({ noun }: Pick<NamedModel, 'noun'>): Failure =>
  new Failure('NOT_FOUND', `There is no such ${noun}.`);

/** @throws Failure GONE for a row with a tombstone, unless the model conceals rows; else NOT_FOUND */
export async function throwNotFoundOrGone(tx: Prisma.TransactionClient, model: NamedModel, id: number): Promise<never> {
  const where = { kind_id: { kind: tombstoneKind(model), id } };
  const tombstone =
    isStorableId(id) && !model.conceal ? await tx.tombstone.findUnique({ where, select: { id: true } }) : null;
  throw tombstone ? new Failure('GONE', `This ${model.noun} was deleted.`) : notFound(model);
}

/**
 * The requested part of a list by ascending id: an offset, or the last known id.
 * @example
 * handler: (_request, { db, page, services }) => services.sessions.list(db, page),
 */
export type PageRequest = OffsetPage | { limit: number; after: number };

/** `counted` is false for a caller that shows no total. */
export interface OffsetPage {
  limit: number;
  offset: number;
  counted?: boolean;
}

/**
 * A page of a list.
 * @example
 * reply: ({ items }: Page<Loan>) => ({ status: 200, body: items.map(represent) }),
 */
export interface Page<T> {
  items: T[];
  hasMore: boolean;
  /** The number of all rows, if counted. */
  total?: number;
}

/** The rows between two ids: `limit` from the start, or from the end. */
export interface Window {
  limit: number;
  fromEnd: boolean;
  after?: number | undefined;
  before?: number | undefined;
}

export interface WindowPage<T> extends Page<T> {
  hasPrevious: boolean;
}

/** A Relay connection. */
export interface ConnectionPage<Row> {
  readonly edges: { readonly cursor: string; readonly node: Row }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The greatest PostgreSQL integer. Greater numbers cannot be an id. */
export const MAX_ID = 2_147_483_647;
export const isStorableId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= MAX_ID;

const MAC_BYTES = 16;

export type Cursors = ReturnType<typeof cursors>;

/** Makes opaque cursors: the last id and a MAC with the name of the list and the generation. */
export function cursors(secrets: Secrets, generation: CurrentGeneration = () => undefined) {
  const codes = macs(secrets, 'accord cursor', MAC_BYTES);
  const textOf = (list: string, id: number | string) => {
    const current = generation();
    return `${current === undefined ? '' : `${current}\n`}${list}\n${id}`;
  };

  return {
    /** @param list names the list and its filter, such as `users` or `orders of 7` */
    encode(list: string, id: number): string {
      return Buffer.concat([codes.make(textOf(list, id)), Buffer.from(String(id))]).toString('base64url');
    },
    /** Returns the id of the cursor, or undefined for a cursor of another list. */
    read(list: string, cursor: string): number | undefined {
      const bytes = Buffer.from(cursor, 'base64url');
      const id = bytes.subarray(MAC_BYTES).toString();
      return codes.holds(textOf(list, id), bytes.subarray(0, MAC_BYTES)) ? Number(id) : undefined;
    },
    /** Returns the last known id; 0 for the empty cursor. @throws Failure BAD_REQUEST for a cursor of another list */
    decode(list: string, cursor: string): number {
      const id = cursor === '' ? 0 : this.read(list, cursor);
      if (id !== undefined) return id;
      throw new Failure('BAD_REQUEST', 'The cursor is not one that this list gave.', {
        issues: [{ parameter: 'after', detail: 'is not a cursor of this list' }],
      });
    },
  };
}

interface RowRange {
  ids: { gt?: number; gte?: number; lt?: number; lte?: number };
  order: 'asc' | 'desc';
  skip: number;
  take: number;
}

/** A list whose rows have ids or positions. */
export interface Listing<Row> {
  readonly rows: (part: RowRange) => Promise<Row[]>;
  /** Returns the number of all rows, which may be a minute old. */
  readonly count: () => Promise<number>;
}

/** Reads one more row than `limit`, to know if others follow. */
async function readOneMore<Row>(
  rows: Listing<Row>['rows'],
  limit: number,
  part: Omit<RowRange, 'take'>,
): Promise<{ items: Row[]; isCutOff: boolean }> {
  const read = await rows(Object.assign({ take: limit + 1 }, part));
  return { items: read.slice(0, limit), isCutOff: read.length > limit };
}

export async function pageOf<Row>(request: PageRequest, { rows, count }: Listing<Row>): Promise<Page<Row>> {
  const [ids, skip] = 'after' in request ? [{ gt: request.after }, 0] : [{}, request.offset];
  const [{ items, isCutOff }, total] = await Promise.all([
    readOneMore(rows, request.limit, { ids, order: 'asc', skip }),
    'offset' in request && request.counted !== false ? count() : undefined,
  ]);
  const page = { items, hasMore: isCutOff };
  if (total === undefined) return page;
  return Object.assign(page, { total: correctedTotal(total, skip, items.length, isCutOff) });
}

/** Corrects a total by the page, which was read at another moment. */
function correctedTotal(total: number, skipped: number, shown: number, hasMore: boolean): number {
  const seen = skipped + shown;
  if (hasMore) return Math.max(total, seen + 1);
  return shown > 0 ? seen : Math.min(total, seen);
}

/** Returns the rows of a window by ascending id. @param bare reads rows without their members */
export async function readWindow<Row>(
  { limit, fromEnd, after, before }: Window,
  rows: Listing<Row>['rows'],
  bare = rows,
): Promise<WindowPage<Row>> {
  const isThereOne = async (ids: RowRange['ids']): Promise<boolean> =>
    (await bare({ ids, order: 'asc', skip: 0, take: 1 })).length > 0;
  const ids: RowRange['ids'] = {};
  if (after !== undefined) ids.gt = after;
  if (before !== undefined) ids.lt = before;
  const [{ items, isCutOff }, someUpToAfter, someFromBefore] = await Promise.all([
    readOneMore(rows, limit, { ids, order: fromEnd ? 'desc' : 'asc', skip: 0 }),
    after !== undefined && isThereOne({ lte: after }),
    before !== undefined && isThereOne({ gte: before }),
  ]);
  return {
    items: fromEnd ? items.reverse() : items,
    hasMore: (!fromEnd && isCutOff) || someFromBefore,
    hasPrevious: (fromEnd && isCutOff) || someUpToAfter,
  };
}
