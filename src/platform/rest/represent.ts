import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Response } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import { isSentCompressed, sendBytes } from '../http/bytes.js';
import { varyBy } from '../http/vary.js';
import { memberCheck } from './declared-members.js';

/** What a handler returns: the shape that the generated reply types narrow. */
export interface Reply {
  status: number;
  headers?: Record<string, string | number | string[] | undefined>;
  body?: unknown;
}

/** How long an answer may be kept, by tag: tokens never, the published keys for a while, the rest after asking again. */
const cacheControl: Record<string, string> = { auth: 'no-store', keys: 'public, max-age=300', platform: 'no-cache' };

/** What a 304 says of the answer that a client has kept, besides the entity tag (RFC 9110 §15.4.5). */
const OF_WHAT_IS_KEPT = ['cache-control', 'content-location'];

/** Seconds after which to ask again whether the service is ready. */
const RETRY_AFTER = 2;

const entityTag = (body: string | Buffer, coding: string) =>
  `"${createHash('sha1').update(body).digest('base64url')}${coding}"`;

/** What the contract says of an answer with one status. */
interface Form {
  /** The declared headers, in lower case. */
  headers: ReadonlySet<string>;
  /** Those that are the same on each: of all answers, and of those that a client has not kept. */
  always: Readonly<Record<string, string>>;
  whole: Readonly<Record<string, string | number>>;
  /** The headers that tell of the media type, by the type that was chosen; empty where there is no body. */
  types: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Of the types the first. */
  type: string | undefined;
}

const NOT_DECLARED: Response = { description: '' };

function formOf({ tag }: Operation, { headers = {}, content = {} }: Response): Form {
  const declared = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const types = Object.keys(content).map((type) => [type, { 'content-type': `${type}; charset=utf-8` }]);
  return {
    headers: declared,
    always: declared.has('cache-control') ? { 'cache-control': cacheControl[tag] ?? 'private, no-cache' } : {},
    whole: declared.has('retry-after') ? { 'retry-after': RETRY_AFTER } : {},
    types: new Map(types as [string, Record<string, string>][]),
    type: Object.keys(content)[0],
  };
}

const memberCheckOf = (content: Response['content'] = {}) => {
  const { schema } = Object.values(content)[0] ?? {};
  return schema && memberCheck(schema);
};

/**
 * Returns the check of what a handler replies, which comes before the commit: a status, headers and a body that the contract
 * declares. Writes the body as JSON.
 */
export function replyWriter({ operationId, operation: { responses } }: Operation) {
  const declared = new Map(
    Object.entries(responses).map(([status, { headers = {}, content }]) => [
      Number(status),
      {
        names: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
        hasBody: content !== undefined,
        undeclaredIn: memberCheckOf(content),
      },
    ]),
  );
  return (reply: Reply): Reply => {
    const { status, headers = {}, body } = reply ?? {};
    const form = declared.get(status);
    if (!form) throw new Error(`${operationId} declares no answer with status ${status}.`);
    // TypeScript refuses another reply's headers; a name that no reply declares is refused here.
    for (const name in headers)
      if (!form.names.has(name)) throw new Error(`${operationId} declares no ${name} on ${status}.`);
    if (form.hasBody === (body === undefined))
      throw new Error(`${operationId} declares ${form.hasBody ? 'a' : 'no'} body on ${status}.`);
    const member = form.undeclaredIn?.(body);
    if (member !== undefined) throw new Error(`${operationId} declares no member ${member} on ${status}.`);
    return typeof body === 'object' && !(body instanceof Uint8Array) ? { ...reply, body: JSON.stringify(body) } : reply;
  };
}

/**
 * How the replies of an operation's handler are sent as the contract describes them: media type, entity tag, 304 and ranges.
 * @param vendor the media type of the application, whose answers depend on what was accepted
 */
export function sender(operation: Operation, vendor: string) {
  const { responses } = operation.operation;
  const forms = new Map(Object.entries(responses).map(([status, response]) => [status, formOf(operation, response)]));
  const undeclared = formOf(operation, NOT_DECLARED);
  const inRanges = '206' in responses;

  /** @param mediaType the one that was chosen, where the status has it */
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { status, headers = {}, body }: Reply,
    mediaType: string,
  ): FastifyReply | Promise<FastifyReply> => {
    const form = forms.get(String(status)) ?? undeclared;
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const isTagged = form.headers.has('etag') && form.type !== undefined;
    const safe = request.method === 'GET' || request.method === 'HEAD';
    const isCompressed = safe && isSentCompressed(request, reply, body);
    // A strong entity tag names one encoding (RFC 9110 §8.8.3).
    const etag = headers['etag'] ?? (isTagged ? entityTag(payload, isCompressed ? '-gzip' : '') : undefined);
    const type = form.types.has(mediaType) ? mediaType : form.type;
    reply.headers(form.always);
    // Of what is kept too (RFC 9110 §15.4.5).
    if (type === vendor) varyBy(reply, 'Accept');
    if (etag !== undefined) reply.header('etag', etag);
    if (safe && status === 200 && isUnchanged(request, etag)) {
      const kept = forms.get('304')?.headers;
      for (const name of OF_WHAT_IS_KEPT)
        if (headers[name] !== undefined && kept?.has(name)) reply.header(name, headers[name]);
      return reply.code(304).send();
    }

    reply.code(status);
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) reply.header(name, value);
    }
    reply.headers(form.whole);
    if (type === undefined) return reply.send();
    reply.headers(form.types.get(type) ?? {});
    if (!isCompressed && !(safe && inRanges)) return reply.send(payload);
    return sendBytes(request, reply, Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
  };
}

/** RFC 9110 §13.1.2. Cache-Control is left out: fetch sends no-cache along with If-None-Match, and it speaks to caches. */
function isUnchanged({ headers }: FastifyRequest, etag: unknown): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && typeof etag === 'string' && fresh({ 'if-none-match': known }, { etag });
}
