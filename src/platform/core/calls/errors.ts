import { type Catalogue, type Code, type ErrorKind, platformCodes } from '../contract/codes.js';

export interface FailureOptions extends Partial<Issues> {
  /** Seconds; by default RETRY_AFTER_S for UNAVAILABLE. */
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
export const MAX_MESSAGE_BYTES = 512;

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
    kind: Omit<ErrorKind, 'description'> = platformCodes[code],
  ) {
    super(truncate(message, MAX_MESSAGE_BYTES), { cause: options.cause });
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    const retry = code === 'UNAVAILABLE' && { retryAfter: RETRY_AFTER_S };
    this.options = Object.assign({}, retry, options, limitIssues(options));
  }
}

/**
 * Returns the base class of the errors of an application.
 * @param codes `errors` of `generated/errors.ts`
 * @example
 * export class Failure extends failuresOf(errors) {}
 */
export function failuresOf<const Codes extends Catalogue>(codes: Codes) {
  return class extends Failure {
    constructor(code: keyof Codes & string, message: string, options?: FailureOptions) {
      super(code as Code, message, options, codes[code] as ErrorKind);
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

/** One mistake in a request: a JSON pointer into the body (RFC 6901), or the name of a parameter. */
export interface Issue {
  pointer?: string;
  parameter?: string;
  detail: string;
}

/** The first mistakes in a request, and the number of the others. */
export interface Issues {
  readonly issues: readonly Issue[];
  readonly omitted: number;
}

export const NO_ISSUES: Issues = { issues: [], omitted: 0 };

/** Issues in a failure, and bytes of each text in JSON: together less than 16 KiB. */
const MAX_ISSUES = 20;
const MAX_TEXT_BYTES = 256;

/** Collects the first issues, and counts the others. */
export function issueList() {
  const issues: Issue[] = [];
  let omitted = 0;
  return {
    /** @param make is called for the first issues only */
    add(make: () => Issue): void {
      if (issues.length < MAX_ISSUES) issues.push(make());
      else omitted++;
    },
    found: (): Issues => ({ issues, omitted }),
  };
}

export function issuesOf<T>(found: readonly T[], make: (item: T) => Issue): Issues {
  return { issues: found.slice(0, MAX_ISSUES).map(make), omitted: Math.max(0, found.length - MAX_ISSUES) };
}

/** Merges issues, with a limit of their number and of their texts. */
export function limitIssues(...all: readonly Partial<Issues>[]): Issues {
  const listed = all.flatMap(({ issues = [] }) => issues);
  const { issues, omitted } = issuesOf(listed, cutIssue);
  return { issues, omitted: all.reduce((sum, list) => sum + (list.omitted ?? 0), omitted) };
}

const cutIssue = ({ pointer, parameter, detail }: Issue): Issue =>
  Object.assign(
    {},
    // Half an escape is invalid (RFC 6901 §3).
    pointer !== undefined && { pointer: truncate(pointer, MAX_TEXT_BYTES).replace(/~…$/, '…') },
    parameter !== undefined && { parameter: truncate(parameter, MAX_TEXT_BYTES) },
    { detail: truncate(detail, MAX_TEXT_BYTES) },
  );

/** Returns the bytes in JSON without quotation marks. U+0000 takes six. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const ELLIPSIS = '…';

/** Shortens a text to `most` bytes in JSON, with an ellipsis. */
export function truncate(text: string, most: number): string {
  const start = text.slice(0, most + 1);
  if (start === text && bytesOf(text) <= most) return text;
  const room = most - bytesOf(ELLIPSIS);
  let kept = start.slice(0, room);
  // A character takes at most six bytes, so this never removes too many.
  for (let excess = bytesOf(kept) - room; excess > 0; excess = bytesOf(kept) - room) {
    kept = kept.slice(0, kept.length - Math.ceil(excess / 6));
  }
  return kept.toWellFormed() + ELLIPSIS;
}

/** Returns false for U+0000 and lone surrogates, which PostgreSQL does not store. */
export const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Returns one step of a JSON pointer (RFC 6901 §3). */
export const pointerTo = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Finds texts in a JSON value that PostgreSQL does not store. */
export function unstorableText(value: unknown): Issues {
  const { add, found } = issueList();
  const place: string[] = [];
  const look = (at: unknown): void => {
    if (typeof at === 'string') {
      if (isStorableText(at)) return;
      add(() => ({ pointer: place.map(pointerTo).join(''), detail: 'must not contain U+0000 or lone surrogates' }));
    } else if (typeof at === 'object' && at !== null) {
      for (const [key, member] of Object.entries(at)) {
        place.push(key);
        look(member);
        place.pop();
      }
    }
  };
  look(value);
  return found();
}
