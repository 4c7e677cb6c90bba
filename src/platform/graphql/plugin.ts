import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { DocumentNode, ExecutionResult } from 'graphql';
import mercurius from 'mercurius';
import { notWritten } from '../calls/errors.js';
import { failureHeaders, toFailure } from '../http/failures.js';
import { refuseExcess } from '../limits/rate-limit.js';
import { socketServer } from '../live/socket.js';
import { type SocketLimits, socketLimits } from '../live/sockets.js';
import type { PlatformServices } from '../services.js';
import { boundedAnswer, codesOf, type FormattedError, type Result } from './answer.js';
import type { GraphQLContext } from './context.js';
import { anyDocument, trustedDocuments } from './documents.js';
import { type ErrorFormatter, errorFormatter, retryAfterOf } from './errors.js';
import { mountGet } from './get.js';
import type { Limits } from './limits.js';
import { mediaTypeFor } from './media-type.js';
import { contextOf, formatted } from './operation.js';
import { type OperationChecker, operationChecker } from './operation-check.js';
import { type OperationRequest, readBody, weightOf } from './request.js';
import { executableSchema } from './schema.js';
import { readTrusted } from './trusted.js';

/** The fields that are deliberately not written yet, as `Type.field`. */
export const notWrittenFields = (resolvers: object): string[] =>
  Object.entries(resolvers as Record<string, Record<string, unknown>>).flatMap(([type, fields]) =>
    Object.entries(fields)
      .filter(([, field]) => [field, (field as { subscribe?: unknown }).subscribe].includes(notWritten))
      .map(([field]) => `${type}.${field}`),
  );

export const PATH = '/graphql';

export interface GraphQLOptions {
  /** The text of `schema.graphql`. */
  typeDefs: string;
  /** By type and field; the compiler saw to it that each has one. */
  resolvers: object;
  services: PlatformServices;
  limits: Limits;
  maxBatch: number;
  /** Files or folders of the documents that alone may run; unset: any may. */
  trusted: string | undefined;
  introspection: boolean;
  /** Outside production: suggestions in messages, and GraphiQL for a browser. */
  development: boolean;
  /** Of the application, for people. */
  title: string;
  /** What a socket may do; see `socketLimits`. */
  sockets?: Partial<SocketLimits> | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * The one text that mercurius is given to parse, validate and remember, which it would do with any, whoever sent it. What it
 * executes is the operation that was checked, put in its place by a hook.
 */
const STAND_IN = '{ __typename }';

/** Mounts the GraphQL half of the contract: POST /graphql, which answers 200 whatever happens, and GraphiQL. */
export const graphqlPlugin = fp<GraphQLOptions>(
  async (app, options) => {
    const errors = errorFormatter(options.development);
    const schema = executableSchema(options.typeDefs, options.resolvers, app.countField);
    await app.register(mercurius, {
      schema,
      routes: false,
      graphiql: false,
      cache: 1,
      // Errors are put into our terms below, where the request's own log is at hand.
      errorFormatter: ({ data, errors: found }) => ({ statusCode: 200, response: { data, errors: found } as never }),
    });
    app.graphql.addHook('preExecution', async (_schema, _standIn, context) => {
      const { document, variables } = context as unknown as PostContext;
      return { document, variables };
    });
    const { trusted, development, introspection, title } = options;
    const documents = trusted === undefined ? anyDocument() : trustedDocuments(readTrusted([trusted], schema));
    const openIntrospection = development && introspection;
    const checker = operationChecker({ ...options, schema, documents, openIntrospection });
    await app.register(async (scope) => mountPost(scope, checker, options, errors));
    const limitsOfSockets = { ...socketLimits, ...options.sockets };
    const serve = socketServer(app, { ...options, schema, checker, format: errors, socketLimits: limitsOfSockets });
    await app.register(async (scope) => mountGet(scope, PATH, { development, title }, serve));
  },
  {
    name: 'graphql',
    dependencies: [
      'json-body',
      'authenticate',
      'own-origin',
      'web-socket',
      'rate-limit',
      'admission',
      'metrics',
      'refusals',
    ],
  },
);

/** What mercurius is to execute for an operation that came by POST. */
interface PostContext extends GraphQLContext {
  document: DocumentNode;
  variables: Record<string, unknown>;
}

function mountPost(
  app: FastifyInstance,
  checker: OperationChecker,
  { services, maxBatch }: GraphQLOptions,
  errors: ErrorFormatter,
): void {
  // Here only `application/json` is read.
  app.removeContentTypeParser('application/merge-patch+json');

  async function execute(request: FastifyRequest, sent: OperationRequest, reply: FastifyReply): Promise<Result> {
    try {
      const identify = () => app.authenticate(request);
      const { document, operation, isIntrospection } = await checker.check(sent, identify, 'post');
      if (operation.operation === 'mutation') app.refuseForeignCookie(request);
      if (isIntrospection) refuseExcess(await app.countRequest(request));
      const { variables = {}, operationName } = sent;
      const context: PostContext = { ...contextOf(app, request, services), document, variables };
      const result = await app.graphql(STAND_IN, { ...context }, undefined, operationName);
      const retryAfter = retryAfterOf(result.errors);
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      return formatted(result as ExecutionResult, errors, request.log);
    } catch (error) {
      reply.headers(failureHeaders(toFailure(error), app.names));
      return refused(errors.ofThrown(error, request.log));
    }
  }

  function refused(found: FormattedError[]): Result {
    app.countRefused(codesOf({ errors: found }));
    return { errors: found };
  }

  const send = (reply: FastifyReply, results: Result[], isBatch = false) => {
    app.noteRefusals(reply.request, results.flatMap(codesOf));
    const answer = boundedAnswer(results);
    return reply
      .code(200)
      .header('content-type', mediaTypeFor(reply.request.headers.accept))
      .header('vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '))
      .send(JSON.stringify(isBatch ? answer : answer[0]));
  };

  app.setErrorHandler((error, request, reply) => {
    const failure = toFailure(error);
    reply.headers(failureHeaders(failure, app.names));
    return send(reply, [refused(errors.ofThrown(failure, request.log))]);
  });

  app.post(PATH, async (request, reply) => {
    const operations = readBody(request.body, maxBatch);
    await app.weighRequest(request, weightOf(operations));
    const results = await Promise.all(operations.map((operation) => execute(request, operation, reply)));
    return send(reply, results, Array.isArray(request.body));
  });
}
