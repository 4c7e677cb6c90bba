import { resourceTag } from '../calls/conditions.js';
import type { Cursors, Page } from '../calls/pages.js';
import type { Operation } from '../contract/openapi.js';
import type { OperationServices } from '../operations/guarded-client.js';
import { operate } from '../operations/operate.js';
import type { ReplyContext, Route } from '../operations/route.js';
import type { Context } from './context.js';
import { type PageQuery, representPage } from './paging.js';
import { type Reply, replyWriter } from './represent.js';
import type { ReadRequest } from './validation.js';

export const restHandler = (
  operation: Operation,
  route: Route<never, unknown>,
  { operations, cursors }: { operations: OperationServices; cursors: Cursors },
) => {
  const { permission, method, operationId } = operation;
  const writeReply = replyWriter(operation);
  return async (request: ReadRequest, { call, page, pathname, prefix, services }: Context): Promise<Reply> => {
    const { query, headers } = request;
    const replyContext: ReplyContext = { page, pathname, prefix, query, headers: headers as never, cursors };
    return (await operate(operations, route, {
      call,
      name: operationId,
      action: permission === 'public' ? '' : permission.action,
      writes: method !== 'GET' && method !== 'HEAD',
      request,
      idOf: (key) => Number(request.path[key]),
      ifMatch: headers['if-match'] as string | undefined,
      page,
      services,
      prefix,
      reply: (result) =>
        writeReply((route.reply ? route.reply(result as never, replyContext as never) : result) as Reply),
    })) as Reply;
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
    ({
      status: 200,
      ...representPage(page, rows, {
        pathname,
        query: query as PageQuery,
        cursors,
        represent: (row) => represent(row, prefix) as Body,
      }),
    }) as const,
  noContent: () => ({ status: 204 }) as const,
});

/**
 * Returns the value of a preference in a Prefer header (RFC 7240 §2): the empty string without a value, undefined without the preference.
 * The first of several wins.
 * @example
 * const background = preference(headers.prefer, 'respond-async') !== undefined;
 */
export function preference(header: string | undefined, name: string): string | undefined {
  for (const one of (header ?? '').split(',')) {
    const [key, value = ''] = (one.split(';')[0] as string).split('=').map((part) => part.trim());
    if (key?.toLowerCase() === name) return value.replace(/^"(.*)"$/, '$1').toLowerCase();
  }
  return undefined;
}
