import type { FastifyBaseLogger } from 'fastify';
import { GraphQLError } from 'graphql';
import { Failure } from '../calls/errors.js';
import { cut } from '../calls/issues.js';
import { toFailure } from '../http/failures.js';
import { type FormattedError, type Result, TITLE } from './answer.js';
import { locationsOf } from './parse.js';

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
