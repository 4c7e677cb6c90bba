import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Response, Schema } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import { isSentCompressed, sendBytes, varyBy } from '../http/reply.js';

/** What a handler returns: the shape that the generated reply types narrow. */
export interface Reply {
  status: number;
  headers?: Record<string, string | number | string[] | undefined>;
  body?: unknown;
}

/** How long an answer may be kept, by tag: tokens never, the published keys for a while, others after asking again. */
const CACHE_CONTROL: Record<string, string> = { auth: 'no-store', keys: 'public, max-age=300', platform: 'no-cache' };

/** The headers that a 304 has of the answer that a client keeps, besides the entity tag (RFC 9110 §15.4.5). */
const KEPT_HEADERS = ['cache-control', 'content-location'];

/** Seconds after which to ask again whether the service is ready. */
const RETRY_AFTER = 2;

/** What the contract declares of an answer with one status. */
interface Form {
  /** The declared headers, in lower case. */
  headers: ReadonlySet<string>;
  /** The constant headers of all answers, and of those that a client has not kept. */
  always: Readonly<Record<string, string>>;
  whole: Readonly<Record<string, string | number>>;
  /** The headers that tell of the media type, by the type that was chosen; empty without a body. */
  types: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The default media type. */
  type: string | undefined;
  /** Returns the name of a member that a body has and the contract does not declare. */
  undeclaredIn: MemberCheck | undefined;
}

/** Returns the forms of an operation's answers, by status. */
function formsOf({ tag, operation: { responses } }: Operation): ReadonlyMap<number, Form> {
  const formOf = ({ headers = {}, content = {} }: Response): Form => {
    const declared = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    const types = Object.keys(content).map((type) => [type, { 'content-type': `${type}; charset=utf-8` }] as const);
    const { schema } = Object.values(content)[0] ?? {};
    return {
      headers: declared,
      always: declared.has('cache-control') ? { 'cache-control': CACHE_CONTROL[tag] ?? 'private, no-cache' } : {},
      whole: declared.has('retry-after') ? { 'retry-after': RETRY_AFTER } : {},
      types: new Map(types),
      type: types[0]?.[0],
      undeclaredIn: schema && memberCheck(schema),
    };
  };
  return new Map(Object.entries(responses).map(([status, response]) => [Number(status), formOf(response)]));
}

/**
 * Returns a function that checks what a handler replies, before the commit: the contract declares its status, its headers and the
 * members of its body. It writes the body as JSON.
 */
export function replyWriter(operation: Operation) {
  const forms = formsOf(operation);
  const { operationId } = operation;
  return (reply: Reply): Reply => {
    const { status, headers = {}, body } = reply ?? {};
    const form = forms.get(status);
    if (!form) throw new Error(`${operationId} declares no answer with status ${status}.`);
    // TypeScript refuses the headers of another reply; this refuses a name that no reply declares.
    for (const name in headers)
      if (!form.headers.has(name)) throw new Error(`${operationId} declares no ${name} on ${status}.`);
    const hasBody = form.type !== undefined;
    if (hasBody === (body === undefined))
      throw new Error(`${operationId} declares ${hasBody ? 'a' : 'no'} body on ${status}.`);
    const member = form.undeclaredIn?.(body);
    if (member !== undefined) throw new Error(`${operationId} declares no member ${member} on ${status}.`);
    return typeof body === 'object' && !(body instanceof Uint8Array) ? { ...reply, body: JSON.stringify(body) } : reply;
  };
}

/** A member check returns the name of a member that a schema does not declare; undefined if all are declared. */
type MemberCheck = (value: unknown) => string | undefined;

/** Levels of members that are checked. */
const MAX_DEPTH = 8;
/** Keywords by which a schema declares members beside its `properties`. */
const OTHER_KEYWORDS = ['additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref'];

/**
 * Compiles the check for members that a response does not declare, for example a row that a handler spreads into a body. JSON Schema
 * leaves objects open, so a validator finds nothing.
 */
function memberCheck(schema: Schema, depth = 0): MemberCheck | undefined {
  if (depth > MAX_DEPTH || OTHER_KEYWORDS.some((keyword) => keyword in schema)) return undefined;
  const { items, properties } = schema as { items?: Schema; properties?: Record<string, Schema> };
  if (items) {
    const check = memberCheck(items, depth + 1);
    return check && ((value) => (Array.isArray(value) ? firstFound(value, check) : undefined));
  }
  if (!properties) return undefined;
  const checks = new Map(Object.entries(properties).map(([name, one]) => [name, memberCheck(one, depth + 1)]));
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

const NOT_DECLARED: Form = {
  headers: new Set(),
  always: {},
  whole: {},
  types: new Map(),
  type: undefined,
  undeclaredIn: undefined,
};

const entityTag = (body: string | Buffer, coding: string) =>
  `"${createHash('sha1').update(body).digest('base64url')}${coding}"`;

/**
 * Returns a function that sends a reply as the contract declares it: media type, entity tag, 304 and ranges.
 * @param vendor the media type of the application, whose answers depend on what was accepted
 */
export function sender(operation: Operation, vendor: string) {
  const forms = formsOf(operation);
  const inRanges = forms.has(206);

  /** @param mediaType the negotiated one, which the status may not have */
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { status, headers = {}, body }: Reply,
    mediaType: string,
  ): FastifyReply | Promise<FastifyReply> => {
    const form = forms.get(status) ?? NOT_DECLARED;
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const isTagged = form.headers.has('etag') && form.type !== undefined;
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    const isCompressed = isSafe && isSentCompressed(request, reply, body);
    // A strong entity tag names one encoding (RFC 9110 §8.8.3).
    const etag = headers['etag'] ?? (isTagged ? entityTag(payload, isCompressed ? '-gzip' : '') : undefined);
    const type = form.types.has(mediaType) ? mediaType : form.type;
    reply.headers(form.always);
    // Of what is kept too (RFC 9110 §15.4.5).
    if (type === vendor) varyBy(reply, 'Accept');
    if (etag !== undefined) reply.header('etag', etag);
    if (isSafe && status === 200 && isUnchanged(request, etag)) {
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

/** RFC 9110 §13.1.2. Cache-Control is left out: fetch sends no-cache along with If-None-Match, and it speaks to caches. */
function isUnchanged({ headers }: FastifyRequest, etag: unknown): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && typeof etag === 'string' && fresh({ 'if-none-match': known }, { etag });
}
