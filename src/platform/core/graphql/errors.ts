/** Formats the errors of a GraphQL result with the codes of the catalogue, within limits of number and size. @module */

import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Failure, type Issue, truncate } from '../calls/errors.js';
import { aboutRequest } from '../http/about-request.js';
import { describeFailure, type FailureContext, toFailure } from '../http/failures.js';
import { locationsOf } from './documents.js';
import { DocumentErrors, MAX_ERRORS } from './operation-check.js';

const MAX_NAME_BYTES = 64;
const MAX_LOCATIONS = 10;

/** Limits of the errors of an answer (docs/decisions.md, "Failures"). */
const MAX_RESPONSE_BYTES = 16 * 1024;
const ENVELOPE_BYTES = '{"errors":[],"data":null,"extensions":{"omitted":1000000}},'.length;

const TITLE = Symbol('title');

export interface FormattedError extends GraphQLFormattedError {
  /** The title of the code, which replaces a message that is too long. It is not sent. */
  [TITLE]?: string;
  extensions: {
    code: string;
    statusCode: number;
    type?: string;
    requestId?: string;
    errors?: readonly Issue[];
    omitted?: number;
  };
}

export interface Result {
  data?: Record<string, unknown> | null | undefined;
  errors?: readonly FormattedError[];
  extensions?: { omitted: number };
}

/** The fields of errors that resolvers threw, as `Type.field`. */
const errorFields = new WeakMap<object, string>();
export const setErrorField = (error: object, field: string): void => void errorFields.set(error, field);

export interface ErrorContext extends FailureContext {
  log: FastifyBaseLogger;
  /** Undefined for the events of a shared subscription. */
  request?: FastifyRequest;
}

export type ErrorFormatter = ReturnType<typeof errorFormatter>;

const SCHEMA_ERROR = /^(?:Cannot query|Unknown (?!operation|fragment)|Field|Value|Variable|Enum)/;
const COMPLETE_ERROR = / Did you mean | is never used /;

/**
 * Formats errors with the codes of the catalogue. Unknown errors are masked and logged.
 * @param suggest keeps "Did you mean …" of graphql-js, which names parts of a schema that may not be published
 */
export function errorFormatter(suggest: boolean) {
  function textOf({ message }: GraphQLError): string {
    const text = suggest ? message : message.replace(/ Did you mean .*$/s, '');
    if (!SCHEMA_ERROR.test(text) || COMPLETE_ERROR.test(text)) return text;
    return `${text}${text.endsWith('.') ? '' : '.'} The schema is at /schema.graphql.`;
  }
  function formatError(error: GraphQLError, context: ErrorContext): FormattedError {
    const failure = isInDocument(error) ? new Failure('BAD_REQUEST', textOf(error)) : toFailure(error.originalError);
    const { cause, issues, omitted } = failure.options;
    if (failure.code === 'INTERNAL') {
      const operation = errorFields.get((cause ?? {}) as object) ?? error.path?.join('.');
      const about = context.request && aboutRequest(context.request, failure.status, failure.code);
      context.log.error(
        Object.assign({}, about, operation !== undefined && { operation }, { err: cause }),
        'a resolver failed',
      );
    }
    const { message, ...described } = describeFailure(failure, context);
    const locations = locationsOf(error)?.slice(0, MAX_LOCATIONS);
    const path = error.path?.map((step) => (typeof step === 'string' ? truncate(step, MAX_NAME_BYTES) : step));
    return {
      [TITLE]: failure.title,
      message,
      ...(locations && { locations }),
      ...(path && { path }),
      extensions: {
        code: failure.code,
        statusCode: failure.status,
        ...described,
        ...(issues?.length && { errors: issues }),
        ...(omitted && { omitted }),
      },
    };
  }
  return {
    formatError,
    formatThrown: (error: unknown, context: ErrorContext): FormattedError[] =>
      asGraphQLErrors(error).map((error) => formatError(error, context)),
  };
}

/**
 * Returns true for an error of graphql-js that the document causes: before the execution (without a path), or at a
 * node. Other errors are results that graphql-js could not serialise.
 */
const isInDocument = ({ originalError, path }: GraphQLError): boolean =>
  originalError == null ||
  (originalError instanceof GraphQLError && (path === undefined || originalError.nodes !== undefined));

export function asGraphQLErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof DocumentErrors) return error.errors;
  if (error instanceof GraphQLError) return [error];
  const failure = toFailure(error);
  return [new GraphQLError(failure.message, { originalError: failure })];
}

export function failureResult(failure: Failure, context: FailureContext): Result {
  const { message, ...described } = describeFailure(failure, context);
  return { errors: [{ message, extensions: { code: failure.code, statusCode: failure.status, ...described } }] };
}

/** Returns the seconds after which all failures can be retried; undefined without such failures. */
export function retryAfterOf(errors: readonly GraphQLError[] = []): number | undefined {
  const waits = errors.flatMap(({ originalError }) => toFailure(originalError).options.retryAfter ?? []);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

export const codesOf = ({ errors = [] }: Pick<Result, 'errors'>): string[] =>
  errors.map(({ extensions: { code } }) => code);

export function formatResult({ data, errors }: ExecutionResult, format: ErrorFormatter, context: ErrorContext): Result {
  const all = errors?.map((error) => format.formatError(error, context));
  const [result = {}] = limitResults([Object.assign({}, all && { errors: all }, data !== undefined && { data })]);
  return result;
}

/**
 * Limits the errors of an answer. Each failed result gets an equal share of the bytes and keeps at least one error;
 * `extensions` counts the others.
 */
export function limitResults(results: readonly Result[]): Result[] {
  const failed = results.filter(({ errors }) => errors?.length).length;
  return results.map((result) => limitResult(result, Math.floor((MAX_RESPONSE_BYTES - '[]'.length) / failed)));
}

function limitResult({ errors = [], extensions, ...rest }: Result, share: number): Result {
  const [first] = errors;
  if (!first) return rest;
  // Data with only null members can be long, and says no more than null.
  const isEmpty = Object.values(rest.data ?? {}).every((value) => value === null);
  const nullBytes = isEmpty && rest.data ? sizeOf(rest.data) : 0;
  const data = nullBytes > share / 4 ? { data: null } : rest;
  const room = share - ENVELOPE_BYTES - (nullBytes > share / 4 ? 0 : nullBytes);
  const fitting = firstThatFit(errors.slice(0, MAX_ERRORS), room);
  const kept = fitting.length > 0 ? fitting : [shortenError(first, room)];
  const omitted = errors.length - kept.length + (extensions?.omitted ?? 0);
  return { errors: kept, ...data, ...(omitted > 0 && { extensions: { omitted } }) };
}

/** Limits errors for a message without `extensions`: the last error counts the omitted ones. */
export function limitErrors(errors: readonly FormattedError[]): FormattedError[] {
  const [{ errors: kept = [], extensions = { omitted: 0 } } = {}] = limitResults([{ errors }]);
  const last = kept.at(-1);
  if (!last || extensions.omitted === 0) return [...kept];
  return [...kept.slice(0, -1), { ...last, extensions: { ...last.extensions, ...extensions } }];
}

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value)) + 1;

function firstThatFit<T extends object>(list: readonly T[], room: number): T[] {
  let left = room;
  const end = list.findIndex((item) => {
    left -= sizeOf(item);
    return left < 0;
  });
  return list.slice(0, end < 0 ? undefined : end);
}

/** Shortens an error until it fits. Removes the issues first, then the path, the request id, and the message. */
function shortenError(
  { message, locations, path, extensions, [TITLE]: title }: FormattedError,
  room: number,
): FormattedError {
  const { errors = [], omitted = 0, ...whole } = extensions;
  const codes = { code: whole.code, statusCode: whole.statusCode };
  const candidates: FormattedError[] = [
    { message, ...(locations && { locations }), ...(path && { path }), extensions: whole },
    { message, extensions: whole },
    { message, extensions: codes },
  ];
  const bare = { message: title ?? codes.code, extensions: codes };
  const short = candidates.find((error) => sizeOf(error) <= room) ?? bare;
  const counted = { errors: [], omitted: 1_000_000 };
  const issues = firstThatFit(errors, room - sizeOf({ ...short, extensions: { ...short.extensions, ...counted } }));
  const left = omitted + errors.length - issues.length;
  return {
    ...short,
    extensions: {
      ...short.extensions,
      ...(issues.length > 0 && { errors: issues }),
      ...(left > 0 && { omitted: left }),
    },
  };
}
