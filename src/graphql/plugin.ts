import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  type ExecutionResult,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
} from 'graphql';
import mercurius from 'mercurius';
import { failureHeaders, toFailure } from '../http/failures.js';
import { authenticated } from '../services/access.js';
import type { Services } from '../services/index.js';
import type { GraphQLContext } from './context.js';
import { anyDocument, type Documents, trustedDocuments } from './documents.js';
import { type ErrorFormatter, errorFormatter, retryAfterOf } from './errors.js';
import { mountGet } from './get.js';
import { checkLimits, type Limits } from './limits.js';
import { mediaTypeFor } from './media-type.js';
import { contextOf, formatted } from './operation.js';
import { documentReader, type OperationRequest, readBody } from './request.js';
import { executableSchema } from './schema.js';
import { socketServer } from './socket.js';
import { type SocketLimits, socketLimits } from './sockets.js';
import { readTrusted } from './trusted.js';

export { notWrittenFields } from './resolvers.js';

export const PATH = '/graphql';

export interface GraphQLOptions {
  /** The text of `schema.graphql`. */
  typeDefs: string;
  services: Services;
  limits: Limits;
  maxBatch: number;
  /** Files or folders of the documents that alone may run; unset: any may. */
  trusted: string | undefined;
  introspection: boolean;
  /** Outside production: suggestions in messages, and GraphiQL for a browser. */
  development: boolean;
  /** What a socket may do; see `socketLimits`. */
  sockets?: Partial<SocketLimits> | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Mounts the GraphQL half of the contract: POST /graphql, which answers 200 whatever happens, and GraphiQL. */
export const graphqlPlugin = fp<GraphQLOptions>(async (app, options) => {
  const errors = errorFormatter(options.development);
  const schema = executableSchema(options.typeDefs);
  await app.register(mercurius, {
    schema,
    routes: false,
    graphiql: false,
    validationRules: options.introspection ? [] : [NoSchemaIntrospectionCustomRule],
    // Errors are put into our terms below, where the request's own log is at hand.
    errorFormatter: ({ data, errors: found }) => ({ statusCode: 200, response: { data, errors: found } as never }),
  });
  // The document is known to be sound here: 400 has been decided, and 401 comes next.
  app.graphql.addHook('preExecution', async (_schema, document, context) => {
    const { call, operationName, refuseForeignCookie } = context as unknown as PostContext;
    authenticated(call);
    if (getOperationAST(document, operationName)?.operation === 'mutation') refuseForeignCookie();
  });
  const { trusted } = options;
  const documents = trusted === undefined ? anyDocument() : trustedDocuments(readTrusted([trusted], schema));
  await app.register(async (scope) => mountPost(scope, schema, documents, options, errors));
  const limitsOfSockets = { ...socketLimits, ...options.sockets };
  const serve = socketServer(app, { ...options, schema, documents, format: errors, socketLimits: limitsOfSockets });
  await app.register(async (scope) => mountGet(scope, PATH, options.development, serve));
});

/** What is looked at between validation and execution of an operation that came by POST. */
interface PostContext extends GraphQLContext {
  operationName: string | undefined;
  /** Throws FORBIDDEN when a cookie authorises the request and no page of our own sent it. */
  refuseForeignCookie: () => void;
}

function mountPost(
  app: FastifyInstance,
  schema: GraphQLSchema,
  documents: Documents,
  { services, limits, maxBatch }: GraphQLOptions,
  errors: ErrorFormatter,
): void {
  const read = documentReader(limits.tokens);
  // Here only `application/json` is read.
  app.removeContentTypeParser('application/merge-patch+json');

  async function execute(
    request: FastifyRequest,
    operation: OperationRequest,
    reply: FastifyReply,
  ): Promise<ExecutionResult> {
    try {
      const { variables, operationName } = operation;
      const query = documents.textOf(operation);
      const document = read(query, operationName);
      const exceeded = checkLimits({ schema, document, operationName, variables }, limits);
      if (exceeded.length > 0)
        return { errors: exceeded.map((error) => errors.ofGraphQL(error, request.log)) as never };
      const refuseForeignCookie = () => app.refuseForeignCookie(request);
      const context: PostContext = { ...contextOf(app, request, services), operationName, refuseForeignCookie };
      const result = await app.graphql(query, { ...context }, variables, operationName);
      documents.ran(operation, query);
      const retryAfter = retryAfterOf(result.errors);
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      return formatted(result as ExecutionResult, errors, request.log) as never;
    } catch (error) {
      return { errors: errors.ofThrown(error, request.log) as never };
    }
  }

  const send = (reply: FastifyReply, body: ExecutionResult | ExecutionResult[] | { errors: GraphQLFormattedError[] }) =>
    reply
      .code(200)
      .header('content-type', mediaTypeFor(reply.request.headers.accept))
      .header('vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '))
      .send(JSON.stringify(body));

  app.setErrorHandler((error, request, reply) => {
    const failure = toFailure(error);
    reply.headers(failureHeaders(failure));
    return send(reply, { errors: errors.ofThrown(failure, request.log) });
  });

  app.post(PATH, async (request, reply) => {
    const operations = readBody(request.body, maxBatch);
    await app.authenticate(request);
    await app.countRequest(request, operations.length);
    const results = await Promise.all(operations.map((operation) => execute(request, operation, reply)));
    return send(reply, Array.isArray(request.body) ? results : (results[0] as ExecutionResult));
  });
}
