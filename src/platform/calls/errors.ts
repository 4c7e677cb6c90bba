import { type Catalogue, type Code, type Kind, platformCodes } from '../contract/codes.js';
import { type Issues, limitIssues, truncate } from './issues.js';

export interface FailureOptions extends Partial<Issues> {
  /** Seconds. */
  retryAfter?: number;
  /** The value of `Allow` (METHOD_NOT_ALLOWED). */
  allow?: readonly string[];
  /** The OAuth error of the challenge (RFC 6750 §3.1). */
  challenge?: 'invalid_token' | 'insufficient_scope' | 'invalid_request';
  /** For the log only. */
  cause?: unknown;
}

/** Seconds after which a caller may try again, unless a failure knows better. */
export const RETRY_AFTER_S = 2;

/** Bytes in JSON. */
const MAX_MESSAGE_BYTES = 512;

/**
 * The error that services throw. The caller gets `message`, and the log gets `cause`. Texts are bounded, because
 * messages quote requests.
 * @example
 * throw new Failure('CONFLICT', 'The book is on loan.');
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly options: FailureOptions;

  constructor(
    code: Code,
    message: string,
    options: FailureOptions = {},
    kind: Omit<Kind, 'description'> = platformCodes[code],
  ) {
    super(truncate(message, MAX_MESSAGE_BYTES), { cause: options.cause });
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.options = { ...options, ...limitIssues(options) };
  }
}

type FailuresOf<Codes extends Catalogue> = new (
  code: keyof Codes & string,
  message: string,
  options?: FailureOptions,
) => Failure;

/**
 * Returns the base class of the errors of an application.
 * @param codes `errors` of `generated/errors.ts`
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
 * Marks a handler or resolver that is not written yet. The service lists it at start, and responds 501.
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
 * The type of `notWritten` in place of a route.
 * @example
 * type Promised = Route<ListBooksRequest, ListBooksReply> | NotWritten;
 */
export interface NotWritten {
  readonly isWritten: false;
}

/** The error of an operator's command. The message explains why the command is impossible. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
