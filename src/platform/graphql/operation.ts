import type { FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { callOf } from '../http/call.js';
import { toFailure } from '../http/failures.js';
import type { PlatformServices } from '../services.js';
import { boundedAnswer, type Result } from './answer.js';
import { type GraphQLContext, operationContext } from './context.js';
import type { ErrorFormatter } from './errors.js';
import { DocumentErrors } from './operation-check.js';

/** When an operation that does not come by itself to its end is to stop. */
interface Ends {
  /** Aborted when nothing more may be done for the caller; its reason is what the checkpoint throws then. */
  ended?: AbortSignal;
  /** See `GraphQLContext`. */
  signal?: AbortSignal;
}

/** What a resolver gets, for the operation that a request brought. */
export function contextOf(
  request: FastifyRequest,
  services: Pick<PlatformServices, 'handlers' | 'operations'>,
  { ended, signal }: Ends = {},
): GraphQLContext {
  const callWith: GraphQLContext['callWith'] = (issues) => {
    const call = callOf(request, () => issues);
    return ended ? { ...call, checkpoint: () => call.checkpoint().then(() => ended.throwIfAborted()) } : call;
  };
  return operationContext(services, callWith, signal);
}

/** A result with its errors in the terms of the catalogue, and no more of them than may be told. */
export function formatted(
  { data, errors }: ExecutionResult,
  format: ErrorFormatter,
  log: FastifyRequest['log'],
): Result {
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
