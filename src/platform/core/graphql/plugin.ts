import type { WebsocketHandler } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../calls/errors.js';
import { recordRefusals } from '../http/about-request.js';
import type { ServedServices } from '../http/call.js';
import { contextOfFailure, failureHeaders, toFailure } from '../http/failures.js';
import { addVary } from '../http/headers.js';
import { isNotWritten } from '../operations/route.js';
import { contextOf } from './context.js';
import { anyDocument, type OperationRequest, readTrusted, trustedDocuments } from './documents.js';
import { type Engine, graphqlEngine } from './engine.js';
import {
  codesOf,
  type ErrorFormatter,
  errorFormatter,
  type FormattedError,
  formatResult,
  limitResults,
  type Result,
  retryAfterOf,
} from './errors.js';
import type { Limits, Turn } from './limits.js';
import { mediaTypeFor, PATH } from './media-types.js';
import { executableSchema } from './schema.js';

export const notWrittenFields = (resolvers: object): string[] =>
  Object.entries(resolvers as Record<string, Record<string, unknown>>).flatMap(([type, fields]) =>
    Object.entries(fields)
      .filter(([, field]) => isNotWritten(field))
      .map(([field]) => `${type}.${field}`),
  );

interface GraphQLOptions {
  typeDefs: string;
  resolvers: object;
  ofParts: Readonly<Record<string, unknown>>;
  services: ServedServices;
  limits: Limits;
  maxBatch: number;
  /** Files or folders of the only documents that may run; undefined allows any. */
  trusted: string | undefined;
  introspection: boolean;
  /** For tests: instead of a cost by the heap limit. */
  costUnderWay: number | undefined;
  /** Enables suggestions in messages, and GraphiQL for a browser. */
  development: boolean;
}

export async function mountGraphql(app: FastifyInstance, options: GraphQLOptions): Promise<void> {
  const errors = errorFormatter(options.development);
  const schema = executableSchema(options.typeDefs, options.resolvers, {
    onField: app.core.seams.observability.countField,
    policy: app.core.policy,
    services: options.services.operations,
    ofParts: options.ofParts,
  });
  const { trusted, development, introspection } = options;
  const documents = trusted === undefined ? anyDocument() : trustedDocuments(readTrusted([trusted], schema));
  const openIntrospection = development && introspection;
  const { stages } = options.services.operations;
  const engine = await graphqlEngine(app, { ...options, stages, schema, documents, openIntrospection });
  await app.register(async (scope) => mountPost(scope, engine, options, errors));
  const { serve } = app.core.seams.live;
  const graphql = { services: options.services, engine, documentLimits: options.limits, format: errors };
  await app.register(async (scope) => mountGet(scope, options, await serve?.(scope, graphql as never)));
}

function mountPost(app: FastifyInstance, engine: Engine, { services }: GraphQLOptions, errors: ErrorFormatter): void {
  /** The requests with a mutation that ran. */
  const writing = new WeakSet<FastifyRequest>();

  async function execute(
    request: FastifyRequest,
    params: OperationRequest,
    reply: FastifyReply,
    turn: Turn,
  ): Promise<Result> {
    try {
      const incoming = await engine.identify({ request, transport: 'GraphQL', params, turn });
      const result = await engine.run(incoming, contextOf(request, services));
      if (incoming.prepared?.operation.operation === 'mutation' && result.data) writing.add(request);
      const retryAfter = retryAfterOf(result.errors);
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      return formatResult(result, errors, contextOfFailure(request));
    } catch (error) {
      reply.headers(failureHeaders(toFailure(error), app.core.names));
      return refused(errors.formatThrown(error, contextOfFailure(request)));
    }
  }

  function refused(found: FormattedError[]): Result {
    app.core.seams.observability.countRefused(codesOf({ errors: found }));
    return { errors: found };
  }

  const send = (reply: FastifyReply, results: Result[], isBatch = false) => {
    recordRefusals(reply.request, results.flatMap(codesOf));
    const answer = limitResults(results);
    const text = JSON.stringify(isBatch ? answer : answer[0]);
    const payload = app.core.seams.limits.countText(reply, text, !writing.has(reply.request));
    addVary(reply, 'Accept');
    return reply.code(200).header('content-type', mediaTypeFor(reply.request.headers.accept)).send(payload);
  };

  app.setErrorHandler((error, request, reply) => {
    const failure = toFailure(error);
    reply.headers(failureHeaders(failure, app.core.names));
    return send(reply, [refused(errors.formatThrown(failure, contextOfFailure(request)))]);
  });

  app.post(PATH, async (request, reply) => {
    const { body } = request;
    const operations = await engine.read({ request, transport: 'GraphQL', body });
    const turn = engine.turnOf(request, operations.length > 1);
    try {
      const running = operations.map((operation) => execute(request, operation, reply, turn));
      return send(reply, await Promise.all(running), Array.isArray(body));
    } finally {
      turn.leave();
    }
  });
}

/** Names the options of clients that send queries with GET. */
const onlyPost = (hasSockets: boolean): string =>
  `Send GraphQL operations with POST${hasSockets ? ', or open a WebSocket' : ''}. Set \`preferGetMethod: false\` in urql, and leave out \`useGETForQueries\` in Apollo Client.`;

/** Answers an upgrade with a socket, a browser with GraphiQL outside production, and other requests with 405. */
function mountGet(
  app: FastifyInstance,
  { development }: GraphQLOptions,
  wsHandler: WebsocketHandler | undefined,
): void {
  const refuse = async (): Promise<never> => {
    throw new Failure('METHOD_NOT_ALLOWED', onlyPost(wsHandler !== undefined), { allow: ['POST'] });
  };
  const others = app.supportedMethods.filter((method) => !['POST', 'GET', 'CONNECT'].includes(method));
  app.route({ method: others, url: PATH, handler: refuse });
  app.route({
    method: 'GET',
    url: PATH,
    exposeHeadRoute: false,
    ...(wsHandler && { wsHandler }),
    handler: async (request, reply) => {
      const { sendGraphiql } = app.core.seams.pages;
      if (!sendGraphiql || !development || !request.headers.accept?.includes('text/html')) return refuse();
      return sendGraphiql(request, reply);
    },
  });
}
