import { type Catalogue, type Code, type Kind, platformCodes } from '../contract/codes.js';
import { bounded, cut, type Issues } from './issues.js';

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
 * The one error that services throw; with the codes of an application it is made by `failuresOf`. `message` is for the caller; `cause` goes to the log and nowhere else. Whatever it was
 * made from, what it tells is bounded: messages quote requests, and a request can be wrong in thousands of places.
 * @example
 * throw new Failure('CONFLICT', 'Somebody has this book.');
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** One of the platform's, or of the application's. */
  readonly code: string;
  /** The HTTP status of the code. */
  readonly status: number;
  /** The code in words. */
  readonly title: string;
  readonly options: FailureOptions;

  constructor(
    code: Code,
    message: string,
    options: FailureOptions = {},
    kind: Omit<Kind, 'description'> = platformCodes[code],
  ) {
    super(cut(message, MAX_MESSAGE), { cause: options.cause });
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.options = { ...options, ...bounded(options) };
  }
}

/** Failures with the codes of a catalogue, and no others. */
type FailuresOf<Codes extends Catalogue> = new (
  code: keyof Codes & string,
  message: string,
  options?: FailureOptions,
) => Failure;

/**
 * The error that the services of an application throw: `class Failure extends failuresOf(errors) {}`, where `errors` is that
 * of `generated/errors.ts`. Both transports answer it like one of the platform's own.
 * @example
 * export class Failure extends failuresOf(errors) {}
 */
export function failuresOf<const Codes extends Catalogue>(codes: Codes): FailuresOf<Codes> {
  return class extends Failure {
    constructor(code: keyof Codes & string, message: string, options?: FailureOptions) {
      super(code as Code, message, options, codes[code] as Kind);
    }
  };
}

/**
 * The one marker for what the contract promises and nobody has built yet: a handler or resolver that is `notWritten`
 * compiles, is listed at start, and answers 501 / NOT_IMPLEMENTED. Leaving a handler out does not compile.
 * @example
 * listBooks: route({ target: list(Book), handler: notWritten }),
 */
export const notWritten: NotWritten & (() => Promise<never>) = Object.assign(
  async () => {
    throw new Failure('NOT_IMPLEMENTED', 'This operation is in the contract and is not built yet.');
  },
  { isWritten: false } as const,
);

/**
 * The marker where a route is expected: a function in its place does not compile.
 * @example
 * type Promised = Route<ListBooksRequest, ListBooksReply> | NotWritten;
 */
export interface NotWritten {
  readonly isWritten: false;
}

/** Why an operator's command cannot be done, in a sentence. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
