import type { FastifyBaseLogger } from 'fastify';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toFailure } from '../http/failures.js';
import { catalogue, Failure } from '../services/errors.js';

/**
 * What goes into `errors` of an answer, in the terms of the catalogue. What is unknown is masked, and its cause logged.
 * @param suggest whether graphql may say "Did you mean …", which tells the names of a schema that is not published
 */
export function errorFormatter(suggest: boolean) {
  function format(
    failure: Failure,
    log: FastifyBaseLogger,
    at: GraphQLFormattedError | undefined,
  ): GraphQLFormattedError {
    if (failure.code === 'INTERNAL') log.error({ err: failure.options.cause }, 'a resolver failed');
    const { issues } = failure.options;
    return {
      message: suggest ? failure.message : failure.message.replace(/ Did you mean .*$/s, ''),
      ...(at?.locations && { locations: at.locations }),
      ...(at?.path && { path: at.path }),
      extensions: {
        code: failure.code,
        statusCode: catalogue[failure.code].status,
        ...(issues?.length && { errors: issues }),
      },
    };
  }

  /** @param error of a field or of the document; graphql's own errors are the document's fault */
  const ofGraphQL = (error: GraphQLError, log: FastifyBaseLogger): GraphQLFormattedError => {
    const { originalError } = error;
    const failure = isOfDocument(error) ? new Failure('BAD_REQUEST', error.message) : toFailure(originalError);
    return format(failure, log, error.toJSON());
  };

  return {
    ofGraphQL,
    /** @param error thrown before, or instead of, the execution; mercurius gathers those of a document in `errors` */
    ofThrown(error: unknown, log: FastifyBaseLogger): GraphQLFormattedError[] {
      if (error instanceof GraphQLError) return [ofGraphQL(error, log)];
      const { errors } = (error ?? {}) as { errors?: unknown };
      const gathered = Array.isArray(errors) ? errors.filter((one) => one instanceof GraphQLError) : [];
      if (gathered.length > 0) return gathered.map((one) => ofGraphQL(one, log));
      return [format(toFailure(error), log, undefined)];
    },
  };
}

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
