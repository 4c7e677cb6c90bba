import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BOUNDS } from '../bounds.js';
import { Failure, type Issues, issueList, pointerTo, RETRY_AFTER_S } from '../calls/errors.js';
import type { BodyKind } from '../contract/document.js';
import type { StagesOf } from '../stages.js';
import { bodyTooLarge } from './failures.js';
import { issueFailure } from './messages.js';

/** Methods whose requests may have a body, except those of extensions. */
const WITH_BODY = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY'];

/**
 * Reads bodies by their media types: JSON in UTF-8 (RFC 8259 §8.1), and what the operation declares, as JSON, text in UTF-8 or
 * a stream. An empty JSON body counts as absent.
 */
export function bodyStage(app: FastifyInstance) {
  const { bodyLimit = 0 } = app.initialConfig;
  const readStream = streamReader(bodyLimit);
  // Fastify would bind an AsyncResource for each body. Node 20 makes a hidden class for each, which keeps the request until a full
  // collection. Routes with schemas of bodies must exist before.
  app.addHook('onReady', async () => {
    for (const method of WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  });

  return {
    body: () => (request, reply) => {
      if (!WITH_BODY.includes(request.method) || isAbsent(request)) return;
      const kind = kindOfBody(request);
      if (kind === undefined && request.is404) return;
      if (kind === undefined)
        throw new Failure(
          'UNSUPPORTED_MEDIA_TYPE',
          'This address does not read this media type. Use `Content-Type: application/json`, or one that the contract lists.',
        );
      return new Promise<void>((resolve, reject) => {
        const fail = (error: unknown) => {
          // The client may go on sending.
          reply.header('connection', 'close');
          reject(error);
        };
        const done = (body: unknown) => {
          request.body = body;
          resolve();
        };
        if (kind === 'stream') readStream(request).then(done, fail);
        else readWhole(request, bodyLimit, kind === 'json' ? readJson : decode, done, fail);
      });
    },
  } satisfies Partial<StagesOf<'core'>>;
}

const isAbsent = ({ headers }: FastifyRequest): boolean =>
  headers['content-type'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] ?? '0') === '0';

/** Returns undefined for a body that is not read. */
function kindOfBody({ headers, mediaType, route: { plan } }: FastifyRequest): BodyKind | undefined {
  const { 'content-type': given } = headers;
  if (given !== undefined && !mediaType) return undefined;
  if (mediaType === 'application/json' || (plan && mediaType === 'application/merge-patch+json')) return 'json';
  return plan?.bodyForm(given ?? '')?.kind;
}

/** Takes callbacks, because a promise for each step costs more than most bodies. */
function readWhole(
  request: FastifyRequest,
  limit: number,
  read: (bytes: Buffer) => unknown,
  done: (body: unknown) => void,
  fail: (error: unknown) => void,
): void {
  const { raw, headers } = request;
  const stated = Number(headers['content-length'] ?? Number.NaN);
  const pieces: Buffer[] = [];
  let length = 0;
  const stop = () => raw.off('data', take).off('end', end).off('error', end);
  function take(piece: Buffer): void {
    pieces.push(piece);
    length += piece.length;
    if (length <= limit) return;
    stop();
    fail(bodyTooLarge(request));
  }
  function end(error?: Error): void {
    stop();
    try {
      if (error) throw cutOff(error);
      if (stated >= 0 && stated !== length)
        throw new Failure('BAD_REQUEST', '`Content-Length` must be the number of bytes of the body.');
      refuseEncoding(request);
      done(read(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
    } catch (failure) {
      fail(failure);
    }
  }
  if (stated > limit) fail(bodyTooLarge(request));
  else if (raw.destroyed) fail(cutOff(undefined));
  else raw.on('data', take).on('end', end).on('error', end).resume();
}

const cutOff = (cause: unknown) =>
  new Failure('BAD_REQUEST', 'The body ended before it was complete. Send it again.', { cause });

const readJson = (bytes: Buffer): unknown => (bytes.length === 0 ? undefined : parse(bytes));

/** Reads bodies as streams. A handler that waits for a slow body keeps its place, so their number is limited. */
function streamReader(limit: number) {
  let arriving: IncomingMessage[] = [];
  /** @throws Failure PAYLOAD_TOO_LARGE before or while the body arrives, UNAVAILABLE */
  return async (request: FastifyRequest): Promise<Readable> => {
    const { raw } = request;
    refuseCompression(request);
    if (Number(request.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(request);
    arriving = arriving.filter((one) => !one.complete && !one.destroyed);
    if (arriving.length >= BOUNDS.bodyStreams.value) {
      const message = `Too many bodies arrive at once. Try again in ${RETRY_AFTER_S} seconds.`;
      throw new Failure('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
    }
    arriving.push(raw);
    return Readable.from(piecesOf(request, raw), { objectMode: false });
  };
}

async function* piecesOf(request: FastifyRequest, incoming: IncomingMessage): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > request.routeOptions.bodyLimit) throw bodyTooLarge(request);
      yield piece;
    }
  } catch (cause) {
    throw cause instanceof Failure ? cause : cutOff(cause);
  } finally {
    // The next request on the connection must not begin with the rest.
    incoming.resume();
  }
}

/** @throws Failure UNSUPPORTED_MEDIA_TYPE for another charset than UTF-8, and for a compressed body */
function refuseEncoding(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset))
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'The `charset` of `Content-Type` must be utf-8.');
  refuseCompression(request);
}

function refuseCompression({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity')
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed. Send it without `Content-Encoding`.');
}

function parse(bytes: Buffer): unknown {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The engine's own message quotes the body, which may contain a password.
    throw new Failure('BAD_REQUEST', `The body is not valid JSON. At ${syntaxError(text)}.`, { cause });
  }
  const faults = strictJsonIssues(text);
  if (faults.issues.length > 0) throw issueFailure('BAD_REQUEST', faults);
  return value;
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Failure('BAD_REQUEST', 'The body is not UTF-8. Encode it in UTF-8.');
  return new TextDecoder().decode(bytes);
}

/** Levels of arrays and objects. Recursive functions over bodies rely on it. */
export const MAX_DEPTH = 100;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|-?\d[\d.eE+-]*/g;

const INTEGER = /^-?\d+$/;
const SAFE_DIGITS = 15;

/** Returns true if `JSON.parse` changes an integer: the number has another value and other digits. */
const isRounded = (token: string): boolean =>
  BigInt(Number(token)) !== BigInt(token) && String(Number(token)) !== token;

interface Frame {
  members: Set<string> | undefined;
  key: string | number;
  expectsName: boolean;
}

/**
 * Returns mistakes that `JSON.parse` accepts: duplicate members, numbers out of range, rounded integers, deep nesting,
 * and prototype names (RFC 8259 §4, §6 and §9).
 * @param text valid JSON
 */
export function strictJsonIssues(text: string): Issues {
  const { add, found } = issueList();
  const stack: Frame[] = [];
  const report = (detail: string) => add(() => ({ pointer: pointerOf(stack), detail }));

  for (const [token] of text.matchAll(TOKEN)) {
    const top = stack.at(-1);
    if (token === '{' || token === '[') {
      if (stack.length === MAX_DEPTH) {
        report(`is nested deeper than ${MAX_DEPTH} levels. Send a flatter document.`);
        return found();
      }
      const isObject = token === '{';
      stack.push({ members: isObject ? new Set() : undefined, key: isObject ? '' : 0, expectsName: isObject });
    } else if (token === '}' || token === ']') {
      stack.pop();
    } else if (token === ',') {
      if (top?.members) top.expectsName = true;
      else if (top) top.key = Number(top.key) + 1;
    } else if (token.startsWith('"')) {
      if (top?.members && top.expectsName) addMember(top, top.members, token, stack, report);
    } else if (!Number.isFinite(Number(token))) {
      report(`must be within ±${Number.MAX_VALUE}`);
    } else if (token.length > SAFE_DIGITS && INTEGER.test(token) && isRounded(token)) {
      report('has more digits than a number keeps. Send it as a string, or round it.');
    }
  }
  return found();
}

function addMember(
  top: Frame,
  members: Set<string>,
  token: string,
  stack: Frame[],
  report: (detail: string) => void,
): void {
  const name = JSON.parse(token) as string;
  top.key = name;
  top.expectsName = false;
  if (members.has(name)) report('is given more than once. Give it once.');
  members.add(name);
  const isPrototype = name === '__proto__' || (name === 'prototype' && stack.at(-2)?.key === 'constructor');
  if (isPrototype) report('is not a name that a member can have. Rename it.');
}

const pointerOf = (stack: Frame[]): string => stack.map(({ key }) => pointerTo(key)).join('');

/** A token and the white space after it. */
const LEXEME =
  /("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"|[{}[\],:]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))[ \t\r\n]*/y;
const NAME = 'a member name in double quotes';

/** Returns the tokens that may follow a token; undefined for an unexpected token. @param brackets the open brackets */
function expectedAfter(token: string, expected: string, brackets: string[]): string | undefined {
  const isValue = expected.startsWith('a value');
  if (token === '}' || token === ']') {
    if (!expected.endsWith(token)) return undefined;
    brackets.pop();
  } else if (isValue && (token === '{' || token === '[')) {
    brackets.push(token);
    return token === '{' ? `${NAME} or }` : 'a value or ]';
  } else if (token.startsWith('"') && expected.startsWith(NAME)) return 'a colon';
  else if (token === ':') return expected === 'a colon' ? 'a value' : undefined;
  else if (token === ',') {
    if (!expected.startsWith('a comma')) return undefined;
    return brackets.at(-1) === '{' ? NAME : 'a value';
  } else if (!isValue || token === '{' || token === '[') return undefined;
  if (brackets.length === 0) return 'the end of the text';
  return brackets.at(-1) === '{' ? 'a comma or }' : 'a comma or ]';
}

/**
 * Returns line, column and expectation of the first syntax error (RFC 8259 §2). Quotes nothing, because the text may
 * contain a password.
 */
export function syntaxError(text: string): string {
  const brackets: string[] = [];
  let expected: string = 'a value';
  let position = text.search(/[^ \t\r\n]|$/);
  let token: string | undefined;
  for (;;) {
    LEXEME.lastIndex = position;
    const [whole = '', found] = LEXEME.exec(text) ?? [];
    token = found;
    const next = token === undefined ? undefined : expectedAfter(token, expected, brackets);
    if (next === undefined) break;
    expected = next;
    position += whole.length;
  }
  const lines = text.slice(0, position).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  if (token === undefined && text[position] === '"')
    return `${place}: expected a closed string without unescaped control characters`;
  return `${place}: expected ${expected}${position === text.length ? ', but the text ends' : ''}`;
}
