import type { Issue } from '../calls/issues.js';
import type { Cursors, Page, PageRequest } from '../calls/pages.js';
import { issueFailure, quoted } from '../http/messages.js';

const DEFAULT_LIMIT = 20;

export interface PageQuery {
  limit?: number;
  offset?: number;
  page?: number;
  per_page?: number;
  after?: string;
}

const styles: readonly (readonly (keyof PageQuery)[])[] = [
  ['limit', 'offset'],
  ['page', 'per_page'],
  ['limit', 'after'],
];
const STYLES = styles.map((names) => names.join(' and ')).join('; ');

/**
 * @param pathname names the list; a cursor is valid for one list only
 * @throws Failure BAD_REQUEST for mixed styles, and for a cursor of another list
 */
export function readPage(query: PageQuery, pathname: string, cursors: Cursors): PageRequest {
  const given = Object.keys(query).filter((name) => styles.flat().includes(name as keyof PageQuery));
  const style = styles.find((names) => given.every((name) => names.includes(name as keyof PageQuery)));
  if (!style) {
    const issues = given.map((parameter): Issue => {
      const others = given.filter((one) => one !== parameter).map(quoted);
      return { parameter, detail: `cannot be combined with ${others.join(' and ')}. Use one of ${STYLES}.` };
    });
    throw issueFailure('BAD_REQUEST', { issues });
  }
  const limit = query.limit ?? query.per_page ?? DEFAULT_LIMIT;
  if (query.after !== undefined) return { limit, after: cursors.decode(pathname, query.after) };
  return { limit, offset: query.page === undefined ? (query.offset ?? 0) : (query.page - 1) * limit };
}

/**
 * Returns one of the two shapes of a list: an array with its headers, or an envelope with a cursor.
 * @example
 * reply: (rows, context) => ({ status: 200, ...representPage(context.page, rows, { ...context, represent }) }),
 */
export function representPage<Row extends { id: number }, Item>(
  request: PageRequest,
  { items, hasMore, total = 0 }: Page<Row>,
  { pathname, query, cursors, represent }: PagePlace<Row, Item>,
) {
  const rows = items.map(represent);
  const last = items.at(-1);
  if ('after' in request) {
    const next = hasMore && last ? cursors.encode(pathname, last.id) : '';
    return { headers: {}, body: { data: rows, cursor: { next, hasMore } } };
  }
  const link = links(pathname, query, request, total);
  return { headers: { link, 'x-total-count': total }, body: rows };
}

interface PagePlace<Row, Item> {
  pathname: string;
  query: PageQuery;
  cursors: Cursors;
  represent: (row: Row) => Item;
}

/** Returns the links first, prev, next and last (RFC 8288) in the style of the query. */
function links(
  pathname: string,
  query: PageQuery,
  { limit, offset }: { limit: number; offset: number },
  total: number,
) {
  const byPage = query.page !== undefined || query.per_page !== undefined;
  const at = (start: number) =>
    byPage ? `page=${Math.floor(start / limit) + 1}&per_page=${limit}` : `limit=${limit}&offset=${start}`;
  const lastStart = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const starts: [string, number | undefined][] = [
    ['first', 0],
    ['prev', offset > 0 ? Math.max(0, Math.min(offset - limit, lastStart)) : undefined],
    ['next', offset + limit < total ? offset + limit : undefined],
    ['last', lastStart],
  ];
  return starts
    .flatMap(([rel, start]) => (start === undefined ? [] : `<${pathname}?${at(start)}>; rel="${rel}"`))
    .join(', ');
}
