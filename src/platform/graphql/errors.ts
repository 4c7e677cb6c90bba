import type { FastifyBaseLogger } from 'fastify';
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Failure } from '../calls/errors.js';
import { cut, type Issue } from '../calls/issues.js';
import { toFailure } from '../http/failures.js';
import { locationsOf } from './documents.js';
import { DocumentErrors } from './operation-check.js';

/** Bytes of a name in the path of an error, which is as long as the document has it; and places of one error. */
const MAX_NAME = 64;
const MAX_LOCATIONS = 10;

/** The fields whose resolvers have thrown an error, as `Type.field`: GraphQL names them by what the document calls them. */
const fields = new WeakMap<object, string>();
export const nameField = (error: unknown, field: string): void => {
  if (typeof error === 'object' && error !== null) fields.set(error, field);
};
const fieldOf = (error: unknown): string | undefined => fields.get((error ?? {}) as object);

/**
 * What goes into `errors` of an answer, in the terms of the catalogue. What is unknown is masked, and its cause logged.
 * @param suggest whether graphql may say "Did you mean …", which tells the names of a schema that is not published
 */
export function errorFormatter(suggest: boolean) {
  function format(failure: Failure, log: FastifyBaseLogger, at: GraphQLError | undefined): FormattedError {
    if (failure.code === 'INTERNAL') {
      const operation = fieldOf(failure.options.cause) ?? at?.path?.join('.');
      log.error({ ...(operation !== undefined && { operation }), err: failure.options.cause }, 'a resolver failed');
    }
    const { issues, omitted } = failure.options;
    const locations = at && locationsOf(at)?.slice(0, MAX_LOCATIONS);
    return {
      [TITLE]: failure.title,
      message: failure.message,
      ...(locations && { locations }),
      ...(at?.path && { path: at.path.map((step) => (typeof step === 'string' ? cut(step, MAX_NAME) : step)) }),
      extensions: {
        code: failure.code,
        statusCode: failure.status,
        ...(issues?.length && { errors: issues }),
        ...(omitted && { omitted }),
      },
    };
  }

  const told = ({ message }: GraphQLError) => (suggest ? message : message.replace(/ Did you mean .*$/s, ''));

  /** @param error of a field or of the document; graphql's own errors are the document's fault */
  const ofGraphQL = (error: GraphQLError, log: FastifyBaseLogger): FormattedError => {
    const { originalError } = error;
    const failure = isOfDocument(error) ? new Failure('BAD_REQUEST', told(error)) : toFailure(originalError);
    return format(failure, log, error);
  };

  return {
    ofGraphQL,
    /** @param error thrown before, or instead of, the execution; those of a document are gathered in `errors` */
    ofThrown(error: unknown, log: FastifyBaseLogger): FormattedError[] {
      if (error instanceof GraphQLError) return [ofGraphQL(error, log)];
      const { errors } = (error ?? {}) as { errors?: unknown };
      const gathered = Array.isArray(errors) ? errors.filter((one) => one instanceof GraphQLError) : [];
      if (gathered.length > 0) return gathered.map((one) => ofGraphQL(one, log));
      return [format(toFailure(error), log, undefined)];
    },
  };
}

/** The answer to an operation that nobody looked at. */
export const refused = ({ code, status, message }: Failure): Result => ({
  errors: [{ message, extensions: { code, statusCode: status } }],
});

/**
 * graphql's own errors are the document's fault when they come before the execution, which gives them a path, or name a
 * place in the document, as those of arguments do. Else it could not serialise a value of ours.
 */
const isOfDocument = ({ originalError, path }: GraphQLError): boolean =>
  originalError == null ||
  (originalError instanceof GraphQLError && (path === undefined || originalError.nodes !== undefined));

/** Seconds after which all that failed for the time being is worth another try; undefined where nothing did. */
export function retryAfterOf(errors: readonly GraphQLError[] = []): number | undefined {
  const waits = errors.flatMap(({ originalError }) => toFailure(originalError).options.retryAfter ?? []);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

export type ErrorFormatter = ReturnType<typeof errorFormatter>;

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

/** A result with its errors in the terms of the catalogue, and no more of them than may be told. */
export function formatted({ data, errors }: ExecutionResult, format: ErrorFormatter, log: FastifyBaseLogger): Result {
  const told = errors?.map((error) => format.ofGraphQL(error, log));
  const [result = {}] = boundedAnswer([{ ...(told && { errors: told }), ...(data !== undefined && { data }) }]);
  return result;
}

/** What was thrown, as graphql-ws wants it; the failures are within. */
export function asGraphQLErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof DocumentErrors) return error.errors;
  if (error instanceof GraphQLError) return [error];
  const failure = toFailure(error);
  return [new GraphQLError(failure.message, { originalError: failure })];
}
