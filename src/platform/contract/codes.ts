import { STATUS_CODES } from 'node:http';

export interface Kind {
  readonly status: number;
  readonly title: string;
  readonly description: string;
}

export type Catalogue = Readonly<Record<string, Kind>>;

/**
 * The codes of the platform. An application adds codes, or describes one of these anew, by `x-codes` beside the schema
 * `ErrorCode`; `generated/errors.ts` contains both.
 */
export const platformCodes = {
  BAD_REQUEST: {
    status: 400,
    title: 'Bad request',
    description: 'The request cannot be read: malformed JSON, a missing member, a wrong type, an unknown parameter.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Not authenticated',
    description: 'There is no credential, or it is invalid, expired or revoked.',
  },
  FORBIDDEN: { status: 403, title: 'Forbidden', description: 'The caller is known and may not do this.' },
  NOT_FOUND: { status: 404, title: 'Not found', description: 'There is no such resource or address.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    description: 'The address exists and does not take this method; Allow lists those it takes.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    title: 'Not acceptable',
    description: 'No representation matches the Accept header, or it asks for a version that is not served.',
  },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout', description: 'The request did not arrive in time.' },
  CONFLICT: { status: 409, title: 'Conflict', description: 'The present state forbids it.' },
  GONE: { status: 410, title: 'Gone', description: 'The resource existed and was deleted.' },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    description: 'If-Match does not name the present version.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'Payload too large',
    description: 'The body or the answer exceeds the limit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    description: 'The body is not of a media type that this operation reads.',
  },
  VALIDATION_FAILED: {
    status: 422,
    title: 'Validation failed',
    description: 'The request can be read, but a value breaks a constraint; errors lists their places.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    description: 'The caller has used up its requests; Retry-After says when to come back.',
  },
  INTERNAL: { status: 500, title: 'Internal error', description: 'A fault of the service; the log knows more.' },
  NOT_IMPLEMENTED: { status: 501, title: 'Not implemented', description: 'Promised by the contract, not built yet.' },
  UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    description: 'Overloaded, or the database cannot be reached; Retry-After says when to come back.',
  },
  INSUFFICIENT_STORAGE: { status: 507, title: 'Insufficient storage', description: 'The storage is full.' },
} as const satisfies Catalogue;

export type Code = keyof typeof platformCodes;

export const isPlatformCode = (code: string): code is Code => Object.hasOwn(platformCodes, code);

/** The sender of a status: the platform, an operation that declares it, or nobody. */
type Sender = 'platform' | 'operation' | 'nobody';

/** The statuses of the specification, and the others that the service sends (docs/decisions.md, "Status codes"). */
const STATUSES: Readonly<Record<number, readonly [Sender, string]>> = {
  100: ['platform', 'To `Expect: 100-continue`, before the body of a request is read.'],
  101: ['platform', 'To a WebSocket handshake at `/graphql`; subscriptions travel over it.'],
  102: ['nobody', 'RFC 4918 removed it. Every answer comes within ten seconds; slower operations answer 202.'],
  103: ['nobody', 'It needs HTTP/2, which ends at a proxy: some clients of HTTP/1.1 mistake it for the answer.'],
  200: ['platform', 'A read or a change that answers with a body; every answer of `POST /graphql`, failures included.'],
  201: ['operation', 'Something was created; `Location` is its address.'],
  202: ['operation', 'A slow operation with `Prefer: respond-async`; `Location` is the address of its result.'],
  204: ['operation', 'A deletion, a logout, a new password, `Prefer: return=minimal`, and `OPTIONS`.'],
  206: ['platform', 'A range of a published contract or of a file of this documentation.'],
  301: ['nobody', 'It lets a client change POST into GET. A trailing slash is 308, which does not.'],
  302: ['platform', 'From `/` to `/docs`, an address that may change.'],
  304: ['platform', '`If-None-Match` names the current entity tag of a resource, a list, a contract or the key set.'],
  307: [
    'nobody',
    'No operation has a temporary address, and credentials over plain HTTP are refused (403), not redirected.',
  ],
  308: ['platform', 'A path with a trailing slash, to the path without it and with the same method.'],
  400: [
    'platform',
    'The request cannot be read: malformed JSON, a missing member, a wrong type, an unknown parameter.',
  ],
  401: ['platform', 'No credential, or one that is invalid, expired or revoked; `WWW-Authenticate` names the schemes.'],
  403: ['platform', 'A known caller may not do this; credentials over plain HTTP; a cookie from a foreign origin.'],
  404: ['platform', 'No such resource, path or version; a repeated deletion.'],
  405: ['platform', 'The path exists and lacks the method; `Allow` lists those it has.'],
  406: ['platform', 'No media type, or no version, that `Accept` asks for is served.'],
  408: ['platform', 'The headers did not arrive within 10 seconds, or the request within 15; the connection ends.'],
  409: ['operation', 'A taken e-mail address, the last administrator, a key in flight.'],
  410: ['operation', 'The resource existed and was deleted.'],
  412: ['operation', '`If-Match` names another version than the current one.'],
  413: ['platform', 'The body exceeds the limit (64 KiB unless configured), or the answer would exceed 8 MiB.'],
  415: ['platform', 'The operation does not read this `Content-Type`, this charset or this compression.'],
  422: ['operation', 'The request can be read and its content breaks a rule.'],
  429: ['platform', 'The caller or the address has used up its requests; `Retry-After` says when to come back.'],
  431: ['platform', 'The headers exceed what the HTTP parser reads (16 KiB).'],
  500: ['platform', 'An unexpected fault of the service; the log has the cause, with the request id.'],
  501: ['platform', 'The contract has the operation, and it is not implemented yet.'],
  502: ['operation', 'A service behind this one gave an invalid answer, or none.'],
  503: ['platform', 'Overloaded, stopping, or without its database; `Retry-After` says when to come back.'],
  504: ['operation', 'A service behind this one took too long.'],
  507: ['platform', 'The storage of the database is full; nothing was written.'],
};

/**
 * Returns the use of each status, or the reason for none: plain text, with code between backquotes.
 * @param texts texts of the application, which replace texts of the platform
 */
export function statusTable(answers: readonly object[], texts: Readonly<Record<number, string>> = {}) {
  const declared = new Set(answers.flatMap((one) => Object.keys(one).map(Number)));
  return Object.entries(STATUSES).map(([status, [sender, text]]) => {
    const code = Number(status);
    const name = STATUS_CODES[code] ?? '';
    if (sender === 'operation' && !declared.has(code))
      return { code, name, sent: false, text: 'No operation of this service answers with it.' };
    return { code, name, sent: sender !== 'nobody', text: texts[code] ?? text };
  });
}
