import { type Page, type PageRequest, storableOffset, type Window, type WindowPage } from './pages.js';

/** Which rows of a list are read. */
export interface Part {
  /** By their ids, in the words of Prisma's filters. Empty for all of them. */
  ids: { gt?: number; gte?: number; lt?: number; lte?: number };
  /** By id. */
  order: 'asc' | 'desc';
  skip: number;
  take: number;
}

/** A list of any model whose rows have ids, or places that serve as such. */
export interface Listing<Row> {
  readonly rows: (part: Part) => Promise<Row[]>;
  /** Returns how many rows the whole list has, or had up to a minute ago. */
  readonly count: () => Promise<number>;
}

/** Reads `limit` rows, and one too many, by which it is known whether others lie beyond them. */
async function cutOff<Row>(
  rows: Listing<Row>['rows'],
  limit: number,
  part: Omit<Part, 'take'>,
): Promise<{ items: Row[]; isCutOff: boolean }> {
  const read = await rows({ ...part, take: limit + 1 });
  return { items: read.slice(0, limit), isCutOff: read.length > limit };
}

/** The page of a list that is asked for, by ascending id. */
export async function pageOf<Row>(request: PageRequest, { rows, count }: Listing<Row>): Promise<Page<Row>> {
  const [ids, skip] = 'after' in request ? [{ gt: request.after }, 0] : [{}, storableOffset(request.offset)];
  const [{ items, isCutOff }, total] = await Promise.all([
    cutOff(rows, request.limit, { ids, order: 'asc', skip }),
    'offset' in request && request.counted !== false ? count() : undefined,
  ]);
  return {
    items,
    hasMore: isCutOff,
    ...(total !== undefined && { total: agreed(total, skip, items.length, isCutOff) }),
  };
}

/** A number that agrees with the page beside it, which was read at another moment: its end is the end of the list. */
function agreed(total: number, skipped: number, shown: number, hasMore: boolean): number {
  const seen = skipped + shown;
  if (hasMore) return Math.max(total, seen + 1);
  return shown > 0 ? seen : Math.min(total, seen);
}

/**
 * The rows of a window, by ascending id. Whether more lies beyond it is found by one row too many on the side where the page
 * was cut off, and by looking behind the cursor on the other.
 * @param bare reads rows of which nothing but their being there matters
 */
export async function windowOf<Row>(
  { limit, fromEnd, after, before }: Window,
  rows: Listing<Row>['rows'],
  bare = rows,
): Promise<WindowPage<Row>> {
  const isThereOne = async (ids: Part['ids']): Promise<boolean> =>
    (await bare({ ids, order: 'asc', skip: 0, take: 1 })).length > 0;
  const ids = { ...(after !== undefined && { gt: after }), ...(before !== undefined && { lt: before }) };
  const [{ items, isCutOff }, someUpToAfter, someFromBefore] = await Promise.all([
    cutOff(rows, limit, { ids, order: fromEnd ? 'desc' : 'asc', skip: 0 }),
    after !== undefined && isThereOne({ lte: after }),
    before !== undefined && isThereOne({ gte: before }),
  ]);
  return {
    items: fromEnd ? items.reverse() : items,
    hasMore: (!fromEnd && isCutOff) || someFromBefore,
    hasPrevious: (fromEnd && isCutOff) || someUpToAfter,
  };
}
