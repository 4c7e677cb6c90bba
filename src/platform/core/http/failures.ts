/** Converts thrown errors to failures with a code, and sends them as problem documents. @module */

import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DatabaseFault, faultOf, isReadOnlyRefusal } from '../../database/faults.js';
import { Failure, MAX_MESSAGE_BYTES, truncate } from '../calls/errors.js';
import { type Code, platformCodes } from '../contract/codes.js';
import type { Names } from '../names.js';
import { aboutRequest } from './about-request.js';
import { pathOf } from './headers.js';

/** Errors of Fastify by code. Others are mapped by status. */
const ofFastify: Record<string, [Code, string]> = {
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'The path has an invalid escape. Encode a percent sign as %25.'],
  FST_ERR_ASYNC_CONSTRAINT: ['BAD_REQUEST', 'The request cannot be routed.'],
};

const ofDatabase: Partial<Record<DatabaseFault['kind'], [Code, string]>> = {
  unavailable: ['UNAVAILABLE', 'The database cannot be reached.'],
  denied: ['UNAVAILABLE', 'The database cannot be reached.'],
  timeout: ['UNAVAILABLE', 'The database took too long.'],
  serialization: ['UNAVAILABLE', 'Too much happened at once; try again.'],
  'storage-full': ['INSUFFICIENT_STORAGE', 'The storage is full.'],
};

const READ_ONLY: [Code, string] = ['UNAVAILABLE', 'The database refuses writes: it is read-only.'];

const byStatus = new Map<number, Code>(
  Object.entries(platformCodes)
    .map(([code, { status }]) => [status, code as Code] as const)
    .reverse(),
);

interface Thrown {
  /** A number in errors of the web platform. */
  code?: unknown;
  statusCode?: number;
}

export function bodyTooLarge({ headers, routeOptions }: Pick<FastifyRequest, 'headers' | 'routeOptions'>): Failure {
  const { bodyLimit } = routeOptions;
  const size = Number(headers['content-length']);
  const stated = size > bodyLimit ? `${size} bytes` : 'more';
  return new Failure('PAYLOAD_TOO_LARGE', `The body must have at most ${bodyLimit} bytes; it has ${stated}.`);
}

/** Maps a thrown error to a failure. Unknown errors are INTERNAL; their messages stay in the log. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code: given, statusCode = 500 } = (error ?? {}) as Thrown;
  const code = typeof given === 'string' ? given : '';
  const known = ofFastify[code] ?? (isReadOnlyRefusal(error) ? READ_ONLY : ofDatabase[faultOf(error).kind]);
  if (known) return new Failure(...known, { cause: error });
  // Errors of other libraries have the status of an answer that the service received.
  const named = code.startsWith('FST_') && statusCode < 500 ? byStatus.get(statusCode) : undefined;
  if (named) return new Failure(named, platformCodes[named].description, { cause: error });
  return new Failure('INTERNAL', 'Something went wrong on our side.', { cause: error });
}

export interface FailureContext {
  address: string;
  requestId?: string;
  loginHint?: string;
}

/** Returns the origin of the service as the request names it; empty if unknown. */
export function addressOf({ protocol, host, server }: Pick<FastifyRequest, 'protocol' | 'host' | 'server'>): string {
  const address = server.core.publicOrigin ?? (HOST.test(host) ? `${protocol}://${host}` : '');
  return URL.canParse(address) ? new URL(address).origin : '';
}

/** A name or an address, with an optional port. */
const HOST = /^[\w.:[\]-]{1,300}$/;

/** The hint is only for operations that take tokens: a login, for example, takes none. */
export function contextOfFailure(request: FastifyRequest) {
  const { security, credentialsInBody } = request.route?.plan?.operation ?? { security: [{ jwt: [] }] };
  const takesTokens =
    !credentialsInBody && security.some((alternative) => 'jwt' in alternative || 'opaqueToken' in alternative);
  const loginHint = takesTokens ? request.server.core.loginHint : '';
  return { address: addressOf(request), requestId: request.id, loginHint, log: request.log, request };
}

export function describeFailure({ code, message }: Failure, { address, requestId, loginHint = '' }: FailureContext) {
  return {
    type: `${address}/docs/errors#${code}`,
    message: truncate(code === 'UNAUTHENTICATED' ? `${message} ${loginHint}`.trimEnd() : message, MAX_MESSAGE_BYTES),
    ...(requestId !== undefined && { requestId }),
  };
}

const MAX_INSTANCE_LENGTH = 1024;

/** Cuts a path, but not within an escape (RFC 3986 §2.1). */
const shortened = (path: string): string =>
  path.length > MAX_INSTANCE_LENGTH ? path.slice(0, MAX_INSTANCE_LENGTH).replace(/%[\da-f]?$/i, '') : path;

export function problem(failure: Failure, instance: string, context: FailureContext) {
  const { code, status, title, options } = failure;
  const { type, message, ...request } = describeFailure(failure, context);
  return {
    type,
    title,
    status,
    detail: message,
    instance: shortened(instance),
    error: message,
    code,
    ...request,
    ...(options.issues?.length && { errors: options.issues }),
    ...(options.omitted && { omitted: options.omitted }),
  };
}

/**
 * Returns the headers of a failure. @param isPage true for a person: browsers answer a Basic challenge with a dialogue
 * of their own
 */
export function failureHeaders(
  { code, options }: Failure,
  { realm }: Pick<Names, 'realm'>,
  isPage = false,
): Record<string, string> {
  const challenged = code === 'UNAUTHENTICATED' || options.challenge;
  const headers: Record<string, string> = {};
  if (challenged) headers['www-authenticate'] = challenge(realm, options.challenge, code === 'FORBIDDEN' || isPage);
  if (options.allow) headers['allow'] = options.allow.join(', ');
  if (options.retryAfter !== undefined) headers['retry-after'] = String(options.retryAfter);
  return headers;
}

/** RFC 6750 §3 and RFC 7617 §2. Without a credential the challenge has no error. */
const challenge = (realm: string, error: string | undefined, isBearerOnly: boolean) =>
  `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}${isBearerOnly ? '' : `, Basic realm="${realm}", charset="UTF-8"`}`;

export const MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** Answers with a problem document, or with a page for a person. Logs the cause of an internal error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  if (failure.code === 'INTERNAL') {
    const about = aboutRequest(request, failure.status, failure.code);
    request.log.error(Object.assign({}, about, { err: failure.options.cause }), 'a request failed');
  }
  request.codes = failure.code;
  const { names, seams } = request.server.core;
  const { sendFailure } = seams.pages;
  const isPage = sendFailure !== undefined && [401, 404].includes(failure.status) && isOfPerson(request);
  reply.code(failure.status).headers({ 'cache-control': 'no-store', ...failureHeaders(failure, names, isPage) });
  if (isPage) return sendFailure(failure, reply);
  const body = problem(failure, pathOf(request.originalUrl), contextOfFailure(request));
  return reply.header('content-type', MEDIA_TYPE).send(JSON.stringify(body));
}

/** Returns true if a browser opens the address for a person (Fetch Metadata §2.1). */
const isOfPerson = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && headers['sec-fetch-dest'] === 'document';

const LINGER_MS = 1000;
const NO_REQUEST: [Code, number, string] = ['BAD_REQUEST', 400, 'The bytes are not an HTTP request.'];
const ofParser: Record<string, [Code, number, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 408, 'The request did not arrive in time. Send it without pauses.'],
  HPE_HEADER_OVERFLOW: ['BAD_REQUEST', 431, 'The headers are larger than 16 KiB. Send fewer or shorter headers.'],
};

/** Answers a request that could not be read, and therefore has no address. */
export function answerParserError(
  this: FastifyInstance,
  error: FastifyError | (Error & { code?: string }),
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, status, message] = ofParser[error.code ?? ''] ?? NO_REQUEST;
  const about = problem(new Failure(code, message), 'about:blank', { address: this.core.publicOrigin ?? '' });
  const body = JSON.stringify({ ...about, status });
  const headers = {
    'content-type': MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${platformCodes[code].title}\r\n${lines.join('')}\r\n${body}`);
  // A client that neither reads nor closes would keep the socket.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
