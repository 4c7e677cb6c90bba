import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { RETRY_AFTER_S } from '../calls/errors.js';
import type { Response, Schema } from '../contract/document.js';
import type { RestOperation } from '../contract/openapi.js';
import { addVary, negotiateGzip, sendBytes } from '../http/headers.js';

/** The result of a handler. Generated reply types narrow it. */
export interface Reply {
  status: number;
  headers?: Record<string, string | number | string[] | undefined>;
  body?: unknown;
}

/** `Cache-Control` by tag. Other answers are revalidated. */
const CACHE_CONTROL: Record<string, string> = { auth: 'no-store', keys: 'public, max-age=300', platform: 'no-cache' };

/** The headers of a 304 besides the entity tag (RFC 9110 §15.4.5). */
const KEPT_HEADERS = ['cache-control', 'content-location'];

interface Form {
  headers: ReadonlySet<string>;
  /** Constant headers of all answers, and of answers other than 304. */
  always: Readonly<Record<string, string>>;
  whole: Readonly<Record<string, string | number>>;
  /** The headers by media type; empty without a body. */
  types: ReadonlyMap<string, Readonly<Record<string, string>>>;
  type: string | undefined;
  undeclaredIn: MemberCheck | undefined;
}

function formsOf({ tag, operation: { responses } }: RestOperation): ReadonlyMap<number, Form> {
  const formOf = ({ headers = {}, content = {} }: Response): Form => {
    const declared = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    const types = Object.keys(content).map((type) => [type, { 'content-type': `${type}; charset=utf-8` }] as const);
    const { schema } = Object.values(content)[0] ?? {};
    return {
      headers: declared,
      always: declared.has('cache-control') ? { 'cache-control': CACHE_CONTROL[tag] ?? 'private, no-cache' } : {},
      whole: declared.has('retry-after') ? { 'retry-after': RETRY_AFTER_S } : {},
      types: new Map(types),
      type: types[0]?.[0],
      undeclaredIn: schema && memberCheck(schema),
    };
  };
  return new Map(Object.entries(responses).map(([status, response]) => [Number(status), formOf(response)]));
}

/**
 * Returns a function that checks the status, headers and members of a reply before the commit, and writes the body as
 * JSON.
 */
export function replyWriter(operation: RestOperation) {
  const forms = formsOf(operation);
  const { operationId } = operation;
  return (reply: Reply): Reply => {
    const { status, headers = {}, body } = reply ?? {};
    const form = forms.get(status);
    if (!form) throw new Error(`${operationId} declares no answer with status ${status}.`);
    // TypeScript rejects the headers of other replies; this rejects names without any declaration.
    for (const name in headers)
      if (!form.headers.has(name)) throw new Error(`${operationId} declares no ${name} on ${status}.`);
    const hasBody = form.type !== undefined;
    if (hasBody === (body === undefined))
      throw new Error(`${operationId} declares ${hasBody ? 'a' : 'no'} body on ${status}.`);
    const member = form.undeclaredIn?.(body);
    if (member !== undefined) throw new Error(`${operationId} declares no member ${member} on ${status}.`);
    return typeof body === 'object' && !(body instanceof Uint8Array)
      ? Object.assign({}, reply, { body: JSON.stringify(body) })
      : reply;
  };
}

type MemberCheck = (value: unknown) => string | undefined;

const MAX_DEPTH = 8;
const OTHER_KEYWORDS = ['additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref'];

/**
 * Compiles a check for undeclared members, for example of a row that a handler spreads into a body. JSON Schema itself
 * leaves objects open.
 */
function memberCheck(schema: Schema, depth = 0): MemberCheck | undefined {
  if (depth > MAX_DEPTH || OTHER_KEYWORDS.some((keyword) => keyword in schema)) return undefined;
  const { items, properties } = schema as { items?: Schema; properties?: Record<string, Schema> };
  if (items) {
    const check = memberCheck(items, depth + 1);
    return check && ((value) => (Array.isArray(value) ? firstFound(value, check) : undefined));
  }
  if (!properties) return undefined;
  const checks = new Map(Object.entries(properties).map(([name, def]) => [name, memberCheck(def, depth + 1)]));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      if (!checks.has(name)) return name;
      const found = checks.get(name)?.(member);
      if (found !== undefined) return `${name}.${found}`;
    }
    return undefined;
  };
}

function firstFound(values: readonly unknown[], check: MemberCheck): string | undefined {
  for (const value of values) {
    const found = check(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const entityTag = (body: string | Buffer, coding: string) => `"${hash('sha1', body, 'base64url')}${coding}"`;

/**
 * Returns a function that sends a reply with media type, entity tag, 304 and ranges.
 * @param vendor the media type of the application, which makes answers depend on `Accept`
 */
export function sender(operation: RestOperation, vendor: string) {
  const forms = formsOf(operation);
  const inRanges = forms.has(206);

  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { status, headers = {}, body }: Reply,
    mediaType: string,
  ): FastifyReply | Promise<FastifyReply> => {
    const form = forms.get(status);
    if (!form) throw new Error(`${operation.operationId} declares no answer with status ${status}.`);
    let payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const isTagged = form.headers.has('etag') && form.type !== undefined;
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    const isCompressed = isSafe && negotiateGzip(request, reply, body);
    // A strong entity tag identifies one encoding (RFC 9110 §8.8.3).
    const etag = headers['etag'] ?? (isTagged ? entityTag(payload, isCompressed ? '-gzip' : '') : undefined);
    const type = form.types.has(mediaType) ? mediaType : form.type;
    const isSame = isSafe && status === 200 && isUnchanged(request, etag);
    if (payload !== undefined && !isSame) payload = request.server.core.seams.limits.countText(reply, payload, isSafe);
    reply.headers(form.always);
    // A 304 needs it too (RFC 9110 §15.4.5).
    if (type === vendor) addVary(reply, 'Accept');
    if (etag !== undefined) reply.header('etag', etag);
    if (isSame) {
      const declared = forms.get(304)?.headers;
      for (const name of KEPT_HEADERS)
        if (headers[name] !== undefined && declared?.has(name)) reply.header(name, headers[name]);
      return reply.code(304).send();
    }

    reply.code(status);
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) reply.header(name, value);
    }
    reply.headers(form.whole);
    if (type === undefined) return reply.send();
    reply.headers(form.types.get(type) ?? {});
    if (!isCompressed && !(isSafe && inRanges)) return reply.send(payload);
    return sendBytes(request, reply, Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
  };
}

/** Compares entity tags (RFC 9110 §13.1.2). Ignores Cache-Control, because fetch sends no-cache with If-None-Match. */
function isUnchanged({ headers }: FastifyRequest, etag: unknown): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && typeof etag === 'string' && fresh({ 'if-none-match': known }, { etag });
}
