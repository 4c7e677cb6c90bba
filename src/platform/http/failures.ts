import { QueueFull } from '../accounts/fair-queue.js';
import { Failure } from '../calls/errors.js';
import type { Issue } from '../calls/issues.js';
import { type Code, platformCodes } from '../contract/codes.js';
import { type DatabaseFault, faultOf } from '../database/faults.js';
import type { Names } from '../names.js';

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
