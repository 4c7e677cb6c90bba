import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Operation } from '../contract/openapi.js';
import { sendRange } from '../http/range.js';

/** What a handler returns: the shape that the generated reply types narrow. */
export interface Reply {
  status: number;
  headers?: Record<string, string | number | string[] | undefined>;
  body?: unknown;
}

/** How long an answer may be kept, by tag: tokens never, the published keys for a while, the rest after asking again. */
const cacheControl: Record<string, string> = { auth: 'no-store', keys: 'public, max-age=300', platform: 'no-cache' };

/** Seconds after which to ask again whether the service is ready. */
const RETRY_AFTER = 2;

const hash = (body: string | Buffer) => `"${createHash('sha1').update(body).digest('base64url')}"`;

const declares = ({ operation }: Operation, status: number, header: string): boolean =>
  Object.keys(operation.responses[status]?.headers ?? {}).some((name) => name.toLowerCase() === header);

/** Sends a handler's reply as the contract describes it: media type, entity tag, 304 and ranges. */
export function sendReply(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers = {}, body }: Reply,
  mediaType: string,
): FastifyReply {
  const declared = operation.operation.responses;
  const types = Object.keys(declared[status]?.content ?? {});
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const etag = headers['etag'] ?? (declares(operation, status, 'etag') && types.length > 0 ? hash(payload) : undefined);
  if (declares(operation, status, 'cache-control')) {
    reply.header('cache-control', cacheControl[operation.tag] ?? 'private, no-cache');
  }
  if (etag !== undefined) reply.header('etag', etag);
  const safe = request.method === 'GET' || request.method === 'HEAD';
  if (safe && status === 200 && isUnchanged(request, etag)) return reply.code(304).send();

  reply.code(status);
  for (const [name, value] of Object.entries(headers)) {
    // TypeScript refuses another reply's headers; a name that no reply declares is refused here.
    if (!declares(operation, status, name))
      throw new Error(`${operation.operationId} declares no ${name} on ${status}`);
    if (value !== undefined) reply.header(name, value);
  }
  if (declares(operation, status, 'retry-after')) reply.header('retry-after', RETRY_AFTER);
  if (types.length === 0) return reply.send();
  const type = types.includes(mediaType) ? mediaType : (types[0] as string);
  reply.header('content-type', `${type}; charset=utf-8`);
  if (type === request.server.names.mediaType) reply.header('vary', 'Accept');
  return safe && '206' in declared ? sendRange(request, reply, Buffer.from(payload)) : reply.send(payload);
}

/** RFC 9110 §13.1.2. Cache-Control is left out: fetch sends no-cache along with If-None-Match, and it speaks to caches. */
const isUnchanged = ({ headers }: FastifyRequest, etag: unknown): boolean =>
  typeof etag === 'string' && fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
