export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly description: string;
}

export type Catalogue = Readonly<Record<string, ErrorKind>>;

/**
 * The error codes of the platform. An application adds codes and replaces descriptions with `x-codes` next to the schema
 * `ErrorCode`. `generated/errors.ts` contains the merged table.
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
/** The codes with which the core answers. A part names its own in `codes`. */
export type CoreCode = Exclude<Code, 'RATE_LIMITED'>;

export const isPlatformCode = (code: string): code is Code => Object.hasOwn(platformCodes, code);
