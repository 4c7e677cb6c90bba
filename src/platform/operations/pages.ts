import { LRUCache } from 'lru-cache';
import {
  type Listing,
  type Page,
  type PageRequest,
  pageOf,
  type Window,
  type WindowPage,
  windowOf,
} from '../calls/rows.js';
import type { AnyRow, Tx } from './model.js';
import { delegateOf, type ModelData } from './model-data.js';
import { withFilters } from './read-scope.js';

/** Longer lists are counted at most once a minute; the contract says so (`X-Total-Count`). */
const ALWAYS_COUNTED_ROWS = 1000;
const COUNT_AGE_MS = 60_000;
const MAX_KEPT_COUNTS = 10_000;

export interface PageQuery {
  readonly client: Tx;
  readonly where: readonly object[];
  /** Prisma's `select`, `include` or `omit`. */
  readonly selection: object;
}

export type PageReader = ReturnType<typeof pageReader>;

/** Reads pages of models by ascending id. @param now milliseconds since the epoch */
export function pageReader(now: () => number) {
  const counts = new LRUCache<string, { count: Promise<number>; until: number }>({ max: MAX_KEPT_COUNTS });

  function rowsOf(data: ModelData, { client, where, selection }: PageQuery): Listing<AnyRow>['rows'] {
    return ({ ids, order, skip, take }) => {
      const filters = Object.keys(ids).length > 0 ? [...where, { id: ids }] : where;
      const page = { ...withFilters(undefined, filters), orderBy: { id: order }, take, ...(skip > 0 && { skip }) };
      return delegateOf(client, data).findMany({ ...page, ...selection }) as Promise<AnyRow[]>;
    };
  }

  /** Counts the rows of a list. The cost is bounded, because the count of a longer list is kept for a minute. */
  async function count(data: ModelData, { client, where }: PageQuery): Promise<number> {
    const list = `${data.model.name} ${JSON.stringify(where)}`;
    const kept = counts.get(list);
    if (kept && kept.until > now()) return kept.count;
    const rows = delegateOf(client, data);
    const filter = withFilters(undefined, where);
    const few = (await rows.count({ ...filter, orderBy: { id: 'asc' }, take: ALWAYS_COUNTED_ROWS + 1 })) as number;
    if (few <= ALWAYS_COUNTED_ROWS) return few;
    const counting = rows.count(filter) as Promise<number>;
    counts.set(list, { count: counting, until: now() + COUNT_AGE_MS });
    counting.catch(() => counts.delete(list));
    return counting;
  }

  return {
    page: (data: ModelData, request: PageRequest, query: PageQuery): Promise<Page<AnyRow>> =>
      pageOf(request, { rows: rowsOf(data, query), count: () => count(data, query) }),

    window: (data: ModelData, window: Window, query: PageQuery): Promise<WindowPage<AnyRow>> =>
      windowOf(window, rowsOf(data, query), rowsOf(data, { ...query, selection: { select: { id: true } } })),
  };
}
