import type { Call, Policy } from '../calls/access.js';
import type { Issue } from '../calls/errors.js';
import { type Cursors, type Page, type PageRequest, resourceTag, tagOfGeneration } from '../calls/rows.js';
import type { SessionCookies } from '../calls/session.js';
import { type RestOperation, takesKey } from '../contract/openapi.js';
import type { PublishedContracts } from '../contract/published.js';
import { issueFailure, quoted } from '../http/messages.js';
import { operationOf, type StagedServices } from '../operations/operate.js';
import type { ReplyContext, Route } from '../operations/route.js';
import type { CheckState } from '../part.js';
import { type Reply, replyWriter } from './represent.js';

export interface ReadRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  /** All cookies. Declared cookies have their declared types. */
  cookies: Record<string, unknown>;
  /** Parsed JSON, a string, or a stream, depending on the media type. */
  body: unknown;
  mediaType: string;
}

export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, CheckState>;
}

interface PublishedDocument {
  headers: { 'content-location': string; 'cache-control': string };
  body: Buffer;
}

export interface Platform {
  /**
   * Returns a contract as it is published at the address of the request.
   * @param release undefined for the newest
   * @throws Failure NOT_FOUND for a release that is not served
   */
  document: (name: keyof PublishedContracts['documents'], release?: string) => Promise<PublishedDocument>;
  ready: () => Promise<Readiness>;
  metrics: () => Promise<string>;
}

/**
 * The second argument of a handler of a public operation.
 * @typeParam Services the services of the platform and of the application
 * @typeParam Rules the application's policy
 * @example
 * export type Context = PlatformContext<HandlerServices & OwnServices, typeof policy>;
 */
export interface Context<Services = unknown, Rules extends Policy = Policy> {
  call: Call<Rules>;
  services: Services;
  /** The requested part of a list; the first page for other operations. */
  page: PageRequest;
  /** The canonical path of the request, for links to other pages. */
  pathname: string;
  /** The prefix of the version, `/api/v1`; the newest for an address without a version. */
  prefix: string;
  /**
   * Negotiates a media type (RFC 9110 §12.5.1), and sets `Vary`, which the contract must declare. Returns undefined if
   * the client accepts none.
   * @param types in the order of preference
   */
  accepts: <MediaType extends string>(types: readonly MediaType[]) => MediaType | undefined;
  /**
   * For an operation that uses a cookie other than the access token. @throws Failure FORBIDDEN for a page of another
   * origin
   */
  ownOrigin: () => void;
  sessionCookies: SessionCookies;
  platform: Platform;
}

/** Answers an operation without a target. */
export type RestHandler = (request: ReadRequest, context: Context) => Promise<Reply>;

const sent = ({ body, path, query }: ReadRequest) => ({ content: body, parameters: { ...path, ...query } });

export const restHandler = (
  operation: RestOperation,
  route: Route<never, unknown>,
  { operations, cursors }: { operations: StagedServices; cursors: Cursors },
) => {
  const { permission, operationId, writes } = operation;
  const writeReply = replyWriter(operation);
  const isKeyed = takesKey(operation);
  const run = operationOf({
    name: operationId,
    action: permission === 'public' ? '' : permission.action,
    writes,
    isKeyed,
    route,
    services: operations,
  });
  /** An entity tag contains the generation of the database. */
  const withGeneration = (reply: Reply): Reply => {
    const etag = reply.headers?.['etag'];
    const generation = operations.generation();
    if (etag === undefined || generation === undefined) return reply;
    const headers = Object.assign({}, reply.headers, { etag: tagOfGeneration(String(etag), generation) });
    return Object.assign({}, reply, { headers });
  };
  return (request: ReadRequest, { call, page, pathname, prefix, services }: Context): Promise<Reply> => {
    const { query, headers } = request;
    const replyContext: ReplyContext = { page, pathname, prefix, query, headers: headers as never, cursors };
    const replyOf = (result: unknown) =>
      writeReply((route.reply ? route.reply(result as never, replyContext as never) : result) as Reply);
    const replied = run({
      call,
      request,
      sent,
      idOf: (key) => Number(request.path[key]),
      ifMatch: headers['if-match'] as string | undefined,
      page,
      services,
      prefix,
      // A reply that is kept has no generation.
      reply: isKeyed ? replyOf : (result) => withGeneration(replyOf(result)),
    }) as Promise<Reply>;
    return isKeyed ? replied.then(withGeneration) : replied;
  };
};

/** Allows a Date for a string. JSON contains it as ISO 8601. */
type Represented<Body> = { [Member in keyof Body]: Body[Member] | (string extends Body[Member] ? Date : never) };

/**
 * Returns the replies of versioned rows, with `ETag`, `Location`, and the headers of a page. `noContent` is 204.
 * @example
 * const { ok, created, listed, noContent } = replies({ represent: representOrder, href: hrefOfOrder });
 */
export const replies = <Row extends { readonly id: number; readonly version: number }, Body>({
  represent,
  href,
}: {
  represent: (row: Row, prefix: string) => Represented<Body>;
  href: (id: number, prefix: string) => string;
}) => ({
  ok: (row: Row, { prefix }: ReplyContext) =>
    ({ status: 200, headers: { etag: resourceTag(row) }, body: represent(row, prefix) as Body }) as const,
  created: (row: Row, { prefix }: ReplyContext) =>
    ({
      status: 201,
      headers: { location: href(row.id, prefix), etag: resourceTag(row) },
      body: represent(row, prefix) as Body,
    }) as const,
  listed: (rows: Page<Row>, { page, pathname, query, cursors, prefix }: ReplyContext) =>
    Object.assign(
      { status: 200 as const },
      representPage(page, rows, {
        pathname,
        query: query as PageQuery,
        cursors,
        represent: (row) => represent(row, prefix) as Body,
      }),
    ),
  noContent: () => ({ status: 204 }) as const,
});

/**
 * Returns the value of a preference in a Prefer header (RFC 7240 §2): the empty string without a value, undefined without the preference.
 * The first of several wins.
 * @example
 * const background = preference(headers.prefer, 'respond-async') !== undefined;
 */
export function preference(header: string | undefined, name: string): string | undefined {
  for (const item of (header ?? '').split(',')) {
    const [key, value = ''] = (item.split(';')[0] as string).split('=').map((part) => part.trim());
    if (key?.toLowerCase() === name) return value.replace(/^"(.*)"$/, '$1').toLowerCase();
  }
  return undefined;
}

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
      const others = given.filter((name) => name !== parameter).map(quoted);
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
