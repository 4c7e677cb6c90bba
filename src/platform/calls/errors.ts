import { type Catalogue, type Code, type Kind, platformCodes } from '../contract/codes.js';
import { bounded, cut, type Issues } from './issues.js';

export interface FailureOptions extends Partial<Issues> {
  /** Seconds until the caller should try again. */
  retryAfter?: number;
  /** The methods of the address (METHOD_NOT_ALLOWED). */
  allow?: readonly string[];
  /** The OAuth error of the challenge (RFC 6750 §3.1), if the caller presented a credential. */
  challenge?: 'invalid_token' | 'insufficient_scope' | 'invalid_request';
  /** For the log only. */
  cause?: unknown;
}

/** Bytes of a message in JSON. */
const MAX_MESSAGE = 512;

/**
 * The one error that services throw. `failuresOf` makes one with the codes of an application. The caller gets `message`, and only the
 * log gets `cause`. Texts are bounded, because messages quote requests, and a request can have thousands of mistakes.
 * @example
 * throw new Failure('CONFLICT', 'Somebody has this book.');
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** A code of the platform or of the application. */
  readonly code: string;
  /** The HTTP status of the code. */
  readonly status: number;
  /** The title of the code. */
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

/** Makes failures with the codes of a catalogue only. */
type FailuresOf<Codes extends Catalogue> = new (
  code: keyof Codes & string,
  message: string,
  options?: FailureOptions,
) => Failure;

/**
 * Returns the base class of the errors of an application's services; `errors` is that of `generated/errors.ts`. Both transports
 * answer them like those of the platform.
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
 * Marks a handler or resolver of the contract that is not written yet. It compiles, the start lists it, and it answers 501 /
 * NOT_IMPLEMENTED. A missing handler does not compile.
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
 * The type of `notWritten` in the place of a route, where a function does not compile.
 * @example
 * type Promised = Route<ListBooksRequest, ListBooksReply> | NotWritten;
 */
export interface NotWritten {
  readonly isWritten: false;
}

/** The reason why an operator's command cannot be done, in a sentence. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
