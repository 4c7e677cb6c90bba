import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from 'graphql';
import { callOf } from '../http/call.js';
import { toFailure } from '../http/failures.js';
import { authenticated } from '../services/access.js';
import type { Services } from '../services/index.js';
import { type GraphQLContext, operationContext } from './context.js';
import type { ErrorFormatter } from './errors.js';
import { checkLimits, type Limits } from './limits.js';
import type { OperationRequest } from './request.js';
import { UnconditionalSubscriptionRule } from './subscription-rule.js';

/** Errors of one document that are told; a hostile one could have as many as it has tokens. */
const MAX_ERRORS = 20;

/** What a resolver gets, for the operation that a request brought. */
export function contextOf(app: FastifyInstance, request: FastifyRequest, services: Services): GraphQLContext {
  const callWith: GraphQLContext['callWith'] = (issues) => callOf(app, request, () => issues);
  return operationContext(services, callWith);
}

/** A result with its errors in the terms of the catalogue. */
export function formatted(
  { data, errors }: ExecutionResult,
  format: ErrorFormatter,
  log: FastifyRequest['log'],
): { data?: ExecutionResult['data']; errors?: GraphQLFormattedError[] } {
  return {
    ...(errors && { errors: errors.map((error) => format.ofGraphQL(error, log)) }),
    ...(data !== undefined && { data }),
  };
}

export interface CheckOptions {
  schema: GraphQLSchema;
  introspection: boolean;
  limits: Limits;
}

/** Checks documents as POST has them checked, for a transport that mercurius does not serve. */
export function documentChecker({ schema, introspection, limits }: CheckOptions) {
  const rules = [...specifiedRules, UnconditionalSubscriptionRule];
  if (!introspection) rules.push(NoSchemaIntrospectionCustomRule);
  const known = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  /** @throws what is wrong with the document (400), then UNAUTHENTICATED */
  return (document: DocumentNode, { variables, operationName }: OperationRequest, { call }: GraphQLContext): void => {
    const exceeded = checkLimits({ schema, document, operationName, variables }, limits);
    if (exceeded.length > 0) throw new DocumentErrors(exceeded);
    const invalid = known.get(document) ?? validate(schema, document, rules, { maxErrors: MAX_ERRORS });
    known.set(document, invalid);
    if (invalid.length > 0) throw new DocumentErrors(invalid);
    authenticated(call);
  };
}

/** All that is wrong with one document. */
export class DocumentErrors extends Error {
  override readonly name = 'DocumentErrors';
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The document is not valid.');
    this.errors = errors;
  }
}

/** What was thrown, as graphql-ws wants it; the failures are within. */
export function asGraphQLErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof DocumentErrors) return error.errors;
  if (error instanceof GraphQLError) return [error];
  const failure = toFailure(error);
  return [new GraphQLError(failure.message, { originalError: failure })];
}
