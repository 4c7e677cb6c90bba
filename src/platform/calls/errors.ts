import { bounded, cut, type Issues } from './issues.js';

/** What can go wrong, once for both transports: the code clients switch on, its HTTP status, and when it is sent. */
export const catalogue = {
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
  CONFLICT: {
    status: 409,
    title: 'Conflict',
    description: 'The present state forbids it: a duplicate e-mail address, a final order, the last administrator.',
  },
  GONE: { status: 410, title: 'Gone', description: 'The resource existed and was deleted.' },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    description: 'If-Match does not name the present version.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large', description: 'The body exceeds the limit.' },
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
  PAYMENT_DECLINED: {
    status: 422,
    title: 'Payment declined',
    description: 'The payment gateway declined; the order stays pending.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    description: 'The caller has used up its requests; Retry-After says when to come back.',
  },
  INTERNAL: { status: 500, title: 'Internal error', description: 'A fault of the service; the log knows more.' },
  NOT_IMPLEMENTED: { status: 501, title: 'Not implemented', description: 'Promised by the contract, not built yet.' },
  BAD_GATEWAY: { status: 502, title: 'Bad gateway', description: 'The payment gateway answered nonsense.' },
  UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    description: 'Overloaded, or the database cannot be reached; Retry-After says when to come back.',
  },
  GATEWAY_TIMEOUT: { status: 504, title: 'Gateway timeout', description: 'The payment gateway took too long.' },
  INSUFFICIENT_STORAGE: { status: 507, title: 'Insufficient storage', description: 'The storage is full.' },
} as const satisfies Record<string, { status: number; title: string; description: string }>;

export type Code = keyof typeof catalogue;

export interface FailureOptions extends Partial<Issues> {
  /** Seconds until another attempt makes sense. */
  retryAfter?: number;
  /** The methods that the address takes (METHOD_NOT_ALLOWED). */
  allow?: readonly string[];
  /** The OAuth error of the challenge (RFC 6750 §3.1) when a credential was presented. */
  challenge?: 'invalid_token' | 'insufficient_scope' | 'invalid_request';
  /** For the log only. */
  cause?: unknown;
}

/** Bytes that a message may take in JSON. */
const MAX_MESSAGE = 512;

/**
 * The one error that services throw. `message` is for the caller; `cause` goes to the log and nowhere else. Whatever it was
 * made from, what it tells is bounded: messages quote requests, and a request can be wrong in thousands of places.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: Code;
  readonly options: FailureOptions;

  constructor(code: Code, message: string, options: FailureOptions = {}) {
    super(cut(message, MAX_MESSAGE), { cause: options.cause });
    this.code = code;
    this.options = { ...options, ...bounded(options) };
  }

  /** The HTTP status that the catalogue gives this failure's code. */
  get status(): number {
    return catalogue[this.code].status;
  }
}

/**
 * The one marker for what the contract promises and nobody has built yet: a handler or resolver that is `notWritten`
 * compiles, is listed at start, and answers 501 / NOT_IMPLEMENTED. Leaving a handler out does not compile.
 */
export const notWritten = async (): Promise<never> => {
  throw new Failure('NOT_IMPLEMENTED', 'This operation is in the contract and is not built yet.');
};

/** Why an operator's command cannot be done, in a sentence. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
