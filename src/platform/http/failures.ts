import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { QueueFull } from '../accounts/fair-queue.js';
import { Failure } from '../calls/errors.js';
import type { Issue } from '../calls/issues.js';
import { type Code, platformCodes } from '../contract/codes.js';
import { type DatabaseFault, faultOf } from '../database/faults.js';
import type { Names } from '../names.js';
import { pathOf } from './request.js';

/** Seconds after which to try again with a lost database or a full queue. */
const RETRY_AFTER = 2;

/** Errors of Fastify by code. The status decides the others. */
const ofFastify: Record<string, [Code, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'This address does not read this media type.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The body exceeds the limit.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['BAD_REQUEST', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'The path is not valid percent-encoding.'],
  FST_ERR_ASYNC_CONSTRAINT: ['BAD_REQUEST', 'The request cannot be routed.'],
};

const ofDatabase: Partial<Record<DatabaseFault['kind'], [Code, string]>> = {
  unavailable: ['UNAVAILABLE', 'The database cannot be reached.'],
  denied: ['UNAVAILABLE', 'The database cannot be reached.'],
  timeout: ['UNAVAILABLE', 'The database took too long.'],
  serialization: ['UNAVAILABLE', 'Too much happened at once; try again.'],
  'storage-full': ['INSUFFICIENT_STORAGE', 'The storage is full.'],
};

const byStatus = new Map<number, Code>(
  Object.entries(platformCodes)
    .map(([code, { status }]) => [status, code as Code] as const)
    .reverse(),
);

interface Thrown {
  /** A text; a number in errors of the web platform, as where a signal is aborted. */
  code?: unknown;
  statusCode?: number;
}

/**
 * Returns the failure of a thrown error: of Fastify, of the database or of a bug. Everything unknown is INTERNAL: its message stays in
 * the log.
 */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code: given, statusCode = 500 } = (error ?? {}) as Thrown;
  const code = typeof given === 'string' ? given : '';
  if (error instanceof QueueFull) {
    return new Failure('UNAVAILABLE', 'Too many logins at once.', { retryAfter: RETRY_AFTER, cause: error });
  }
  const known = ofFastify[code] ?? ofDatabase[faultOf(error).kind];
  if (known)
    return new Failure(...known, { cause: error, ...(known[0] === 'UNAVAILABLE' && { retryAfter: RETRY_AFTER }) });
  // Errors of other libraries have a status too: of an answer that the service received.
  const named = code.startsWith('FST_') && statusCode < 500 ? byStatus.get(statusCode) : undefined;
  if (named) return new Failure(named, platformCodes[named].description, { cause: error });
  return new Failure('INTERNAL', 'Something went wrong on our side.', { cause: error });
}

/** A problem document (RFC 9457) with the members that every failure of this service has. */
interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  error: string;
  code: string;
  errors?: readonly Issue[];
  omitted?: number;
}

/** Characters of a path that an answer repeats. */
const MAX_INSTANCE = 1024;

/** Returns a path or its beginning, without half an escape (RFC 3986 §2.1). */
const shortened = (path: string): string =>
  path.length > MAX_INSTANCE ? path.slice(0, MAX_INSTANCE).replace(/%[\da-f]?$/i, '') : path;

/** @param instance the path that was asked for */
export function problem({ code, status, title, message, options }: Failure, instance: string): Problem {
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    detail: message,
    instance: shortened(instance),
    error: message,
    code,
    ...(options.issues?.length && { errors: options.issues }),
    ...(options.omitted && { omitted: options.omitted }),
  };
}

/**
 * The headers that a failure brings along: the challenge, the methods, the time to wait.
 * @param names what the application's name becomes
 * @param isPage whether a person is to read it: challenged by Basic, a browser would show a dialogue of its own in its place
 */
export function failureHeaders(
  { code, options }: Failure,
  { realm }: Pick<Names, 'realm'>,
  isPage = false,
): Record<string, string> {
  const challenged = code === 'UNAUTHENTICATED' || options.challenge;
  return {
    ...(challenged && { 'www-authenticate': challenge(realm, options.challenge, code === 'FORBIDDEN' || isPage) }),
    ...(options.allow && { allow: options.allow.join(', ') }),
    ...(options.retryAfter !== undefined && { 'retry-after': String(options.retryAfter) }),
  };
}

/** RFC 6750 §3 and RFC 7617 §2; without a credential the challenge names no error. */
const challenge = (realm: string, error: string | undefined, isBearerOnly: boolean) =>
  `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}${isBearerOnly ? '' : `, Basic realm="${realm}", charset="UTF-8"`}`;

export const MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** Answers an error with its problem document, or with a page for a person. Logs the cause of an internal error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  if (failure.code === 'INTERNAL') {
    const operation = request.route?.plan?.operation.operationId;
    request.log.error(
      { ...(operation !== undefined && { operation }), err: failure.options.cause },
      'a request failed',
    );
  }
  const { names, sendErrorPage } = request.server;
  const isPage = [401, 404].includes(failure.status) && isOfPerson(request);
  reply.code(failure.status).headers({ ...failureHeaders(failure, names, isPage), 'cache-control': 'no-store' });
  if (isPage) return sendErrorPage(failure, reply);
  return reply.header('content-type', MEDIA_TYPE).send(JSON.stringify(problem(failure, pathOf(request.originalUrl))));
}

/** Returns true if a browser opens this address for a person (Fetch Metadata §2.1). */
const isOfPerson = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && headers['sec-fetch-dest'] === 'document';

const ofParser: Record<string, [Code, number]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 408],
  // 431 has no code of its own: the request cannot be read.
  HPE_HEADER_OVERFLOW: ['BAD_REQUEST', 431],
};

/** Milliseconds that a client has to read such an answer, before its connection is destroyed. */
const LINGER = 1000;

/** Returns the answer to bytes that are no request. */
export function bareProblem(code: Code, status: number = platformCodes[code].status) {
  const failure = new Failure(code, platformCodes[code].description);
  const body = JSON.stringify({ ...problem(failure, 'about:blank'), status });
  const headers = {
    'content-type': MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  };
  return { status, headers, body };
}

/** Answers what Node's parser refuses with 400, 408 or 431, and ends the connection. */
export function answerParserError(error: FastifyError | (Error & { code?: string }), socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, status] = ofParser[error.code ?? ''] ?? ['BAD_REQUEST', 400];
  const { headers, body } = bareProblem(code, status);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${platformCodes[code].title}\r\n${lines.join('')}\r\n${body}`);
  // A client that neither reads nor closes would keep the socket for ever.
  setTimeout(() => socket.destroy(), LINGER).unref();
}
