import type { GraphQLFormattedError } from 'graphql';
import type { Issue } from '../calls/issues.js';

/** Where an error keeps what JSON leaves out. */
export const TITLE = Symbol('title');

/** One operation's part of an answer, in the terms of the catalogue. */
export interface Result {
  data?: Record<string, unknown> | null | undefined;
  errors?: readonly FormattedError[];
  extensions?: { omitted: number };
}

export interface FormattedError extends GraphQLFormattedError {
  /** The title of the code, for an answer without room for the message. It is not sent. */
  [TITLE]?: string;
  extensions: { code: string; statusCode: number; errors?: readonly Issue[]; omitted?: number };
}

export const codesOf = ({ errors = [] }: Pick<Result, 'errors'>): string[] =>
  errors.map(({ extensions: { code } }) => code);

/** Bytes of all that an answer says of failures, and entries of one `errors` (docs/decisions.md, "Failures"). */
const MAX_BYTES = 16 * 1024;
const MAX_ERRORS = 20;
/** Bytes of a result around its errors. */
const FRAME = '{"errors":[],"data":null,"extensions":{"omitted":1000000}},'.length;

/**
 * An answer that says of failures no more than it may. Each result that failed gets its share, and keeps one error at
 * least; the others come as long as there is room for them, and are counted in `extensions` from there on.
 */
export function boundedAnswer(results: readonly Result[]): Result[] {
  const failed = results.filter(({ errors }) => errors?.length).length;
  return results.map((result) => boundedResult(result, Math.floor((MAX_BYTES - '[]'.length) / failed)));
}

function boundedResult({ errors = [], extensions, ...rest }: Result, share: number): Result {
  const [first] = errors;
  if (!first) return rest;
  // A name is as long as a document, and is repeated in the data; where it only says null, this says the same.
  const nothing = Object.values(rest.data ?? {}).every((value) => value === null);
  const named = nothing && rest.data ? sizeOf(rest.data) : 0;
  const data = named > share / 4 ? { data: null } : rest;
  const room = share - FRAME - (named > share / 4 ? 0 : named);
  const listed = fitting(errors.slice(0, MAX_ERRORS), room);
  const kept = listed.length > 0 ? listed : [shrunk(first, room)];
  const omitted = errors.length - kept.length + (extensions?.omitted ?? 0);
  return { errors: kept, ...data, ...(omitted > 0 && { extensions: { omitted } }) };
}

/** The same for a message that has no place beside its errors: the last one of them tells what is left out. */
export function boundedErrors(errors: readonly FormattedError[]): FormattedError[] {
  const [{ errors: kept = [], extensions = { omitted: 0 } } = {}] = boundedAnswer([{ errors }]);
  const last = kept.at(-1);
  if (!last || extensions.omitted === 0) return [...kept];
  return [...kept.slice(0, -1), { ...last, extensions: { ...last.extensions, ...extensions } }];
}

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** The first ones of a list, as many as fit. */
function fitting<T extends object>(list: readonly T[], room: number): T[] {
  let left = room;
  const end = list.findIndex((one) => {
    left -= sizeOf(one);
    return left < 0;
  });
  return list.slice(0, end < 0 ? undefined : end);
}

/** An error with as much as fits: its issues go first, then the place, then its own words. */
function shrunk(
  { message, locations, path, extensions, [TITLE]: title }: FormattedError,
  room: number,
): FormattedError {
  const { code, statusCode, errors = [], omitted = 0 } = extensions;
  const told = { code, statusCode };
  const forms: FormattedError[] = [
    { message, ...(locations && { locations }), ...(path && { path }), extensions: told },
    { message, extensions: told },
  ];
  const form = forms.find((one) => sizeOf(one) <= room) ?? { message: title ?? code, extensions: told };
  const counted = { errors: [], omitted: 1_000_000 };
  const issues = fitting(errors, room - sizeOf({ ...form, extensions: { ...told, ...counted } }));
  const left = omitted + errors.length - issues.length;
  return {
    ...form,
    extensions: { ...told, ...(issues.length > 0 && { errors: issues }), ...(left > 0 && { omitted: left }) },
  };
}
