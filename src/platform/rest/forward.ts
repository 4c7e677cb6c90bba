import { Readable } from 'node:stream';
import { authoriseRole } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Catalogue, Code, Kind } from '../contract/codes.js';
import type { Response as DeclaredResponse, MediaType, Schema } from '../contract/document.js';
import { kindOf } from '../contract/media-types.js';
import type { Forward, Operation } from '../contract/openapi.js';
import type { Dependency } from '../database/outages.js';
import { bodyIssues, lazily, type schemaCompiler } from '../http/json-schema.js';
import type { Context } from './context.js';
import type { Reply } from './represent.js';
import type { ReadRequest } from './validation.js';

/** A service behind this one, to which operations are handed on (`x-forward`). */
export interface Upstream {
  /** Where it is. A user name and a password in it are sent as Basic credentials. */
  url: string;
  /** Told whether it answers. */
  dependency: Dependency;
}

/** By the names that the contract uses. */
export type Upstreams = Readonly<Record<string, Upstream>>;

/** Milliseconds for its whole answer: less than a handler gets, so that the answer says who took too long. */
const TIME = 8_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER = 8 * 1024 * 1024;
/** Seconds after which another attempt makes sense. */
const RETRY_AFTER = 2;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/**
 * The handler of an operation that another service carries out. The stages before it are those of all operations; it decides by
 * the role, checks the content, hands the call on, and holds the answer to the contract: what that does not declare is INTERNAL.
 * @param errors the codes of the application, into which refusals are put by their status
 */
export function forwarding(
  operation: Operation & { forward: Forward },
  { url, dependency }: Upstream,
  ajv: ReturnType<typeof schemaCompiler>,
  errors: Catalogue,
) {
  const { operationId, method, permission, forward } = operation;
  const { origin, base, credentials } = addressOf(url);
  const understand = answersOf(operation, origin, ajv, errors);

  return async (request: ReadRequest, { call }: Pick<Context, 'call'>): Promise<Reply> => {
    if (permission !== 'public') authoriseRole(call, permission.action);
    await call.checkpoint();
    const { actor, address, requestId } = call;
    // Of what the client sent, only what the contract declares: no credential, and no word of its own on who it is.
    const headers = {
      accept: '*/*',
      ...textsOf(request.headers),
      ...credentials,
      'x-request-id': requestId,
      'x-forwarded-for': address,
      ...(actor && { 'x-forwarded-user': String(actor.id), 'x-forwarded-groups': actor.role.toLowerCase() }),
      ...(request.body !== undefined && { 'content-type': request.mediaType || 'application/json' }),
    };
    const init = {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME),
      ...(request.body !== undefined && bodyOf(request)),
    } as const;
    return understand(await ask(base + addressFor(forward.path, request), init));
  };

  /** An answer of any status; a service that gives none is told of as away. */
  async function ask(address: string, init: RequestInit): Promise<Answer> {
    try {
      const response = await fetch(address, init);
      const answer = { status: response.status, headers: response.headers, bytes: await bytesOf(response) };
      dependency.back();
      return answer;
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      const timedOut = (cause as Error).name === 'TimeoutError';
      dependency.away(timedOut ? 'it took too long' : reasonOf(cause));
      const message = `The service behind ${operationId} ${timedOut ? 'took too long' : 'cannot be reached'}.`;
      throw new Failure('UNAVAILABLE', message, { retryAfter: RETRY_AFTER, cause });
    }
  }
}

/** A stream is handed on as it comes. */
const bodyOf = ({ body, mediaType }: ReadRequest): Pick<RequestInit, 'body' | 'duplex'> =>
  body instanceof Readable
    ? { body: body as never, duplex: 'half' }
    : { body: kindOf(mediaType) === 'text' ? String(body) : JSON.stringify(body) };

interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** How the answers to an operation are understood. What the contract does not declare is thrown, for the log to tell. */
function answersOf(
  { operationId, forward, operation: written }: Operation,
  origin: string,
  ajv: ReturnType<typeof schemaCompiler>,
  errors: Catalogue,
) {
  const broken = (what: string) =>
    new Failure('INTERNAL', 'The service behind this one did not keep the contract.', {
      cause: new Error(`${forward?.to} answered ${operationId} ${what}`),
    });
  const bodies = new Map(
    Object.entries(written.responses).map(([status, declared]) => [Number(status), bodyReader(declared, ajv, broken)]),
  );

  return ({ status, headers, bytes }: Answer): Reply => {
    const declared = written.responses[status];
    const read = bodies.get(status);
    if (status === 401) throw broken('with 401: it does not take the credentials in its address');
    if (status >= 502 && status <= 504) throw unavailable(operationId, headers);
    if (status >= 500) throw broken(`with ${status}`);
    if (!declared || !read) throw broken(`with ${status}, which is not declared`);
    if (status >= 400) throw refusal(status, headers, bytes, errors);
    return { status, headers: headersOf(declared, headers, origin), body: read(headers, bytes) };
  };
}

const unavailable = (operationId: string, headers: Headers) =>
  new Failure('UNAVAILABLE', `The service behind ${operationId} is not available.`, {
    retryAfter: secondsOf(headers) ?? RETRY_AFTER,
  });

/** A refusal in the form of this service: by the code that the other one names, if that is one of its status here. */
function refusal(status: number, headers: Headers, bytes: Buffer, errors: Catalogue): Failure {
  const said = objectIn(bytes);
  const ofStatus = Object.entries(errors).filter(([, kind]) => kind.status === status);
  const [code, kind] = ofStatus.find(([name]) => name === said['code']) ??
    ofStatus[0] ?? ['INTERNAL', errors['INTERNAL']];
  const message = [said['detail'], said['message'], said['error']].find((text) => typeof text === 'string');
  const retryAfter = secondsOf(headers);
  const options = retryAfter === undefined ? {} : { retryAfter };
  return new Failure(code as Code, String(message ?? kind?.description), options, kind as Kind);
}

/** The declared headers that it gave; those that answers have by themselves are ours. Nobody learns where it is. */
function headersOf({ headers: declared = {} }: DeclaredResponse, headers: Headers, origin: string) {
  const own = Object.keys(declared).filter((name) => declared[name]?.['x-automatic'] !== true);
  const given = own.map((name) => [name.toLowerCase(), headers.get(name)?.replace(origin, '')]);
  return Object.fromEntries(given) as Record<string, string | undefined>;
}

/** Reads a body as one of the declared media types: JSON by its schema, the rest as bytes. */
function bodyReader(
  { content = {} }: DeclaredResponse,
  ajv: ReturnType<typeof schemaCompiler>,
  broken: (what: string) => Failure,
): (headers: Headers, bytes: Buffer) => unknown {
  const types = Object.keys(content);
  const json = Object.entries(content).find(([type]) => JSON_TYPE.test(type))?.[1];
  const check = json && lazily(ajv, () => schemaOf(json));
  return (headers, bytes) => {
    if (types.length === 0) return undefined;
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
    if (!check || !JSON_TYPE.test(type)) {
      if (types.includes(type)) return bytes;
      throw broken(`with ${type}, and the contract says ${types.join(', ')}`);
    }
    const body = parsed(bytes);
    if (body === undefined) throw broken('with what is no JSON');
    const [wrong] = bodyIssues(check(body)).issues;
    if (wrong) throw broken(`with a body of which ${wrong.pointer || 'the whole'} ${wrong.detail}`);
    return body;
  };
}

const schemaOf = ({ schema = {} }: MediaType): Schema => schema;

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function objectIn(bytes: Buffer): Record<string, unknown> {
  const value = parsed(bytes);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function secondsOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

async function bytesOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER) {
      const cause = new Error(`an answer of more than ${MAX_ANSWER} bytes`);
      throw new Failure('INTERNAL', 'The service behind this one answered too much.', { cause });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** fetch refuses an address with credentials. */
function addressOf(url: string) {
  const { username, password, origin, pathname } = new URL(url);
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    origin,
    base: origin + pathname.replace(/\/$/, ''),
    credentials: username === '' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
  };
}

/** A template with the values of a request, and its query. What would lead to another address there names nothing. */
function addressFor(template: string, { path, query }: ReadRequest): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(String(path[name])));
  const search = new URLSearchParams(textsOf(query)).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** Dots alone stay what they are however they are escaped (URL Standard, "double-dot URL path segment"). */
function segmentOf(value: string): string {
  if (/^\.{1,2}$/.test(value)) throw new Failure('NOT_FOUND', 'There is nothing at this address.');
  return encodeURIComponent(value);
}

const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** Why a request of fetch failed, in a word. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
