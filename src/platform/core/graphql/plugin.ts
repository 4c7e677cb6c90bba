import type { WebsocketHandler } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Generation } from '../../database/generation.js';
import { Failure } from '../calls/errors.js';
import { recordRefusals } from '../http/about-request.js';
import type { ServedServices } from '../http/call.js';
import { contextOfFailure, failureHeaders, toFailure } from '../http/failures.js';
import { acceptableTypes, addVary } from '../http/headers.js';
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
import { executableSchema } from './schema.js';

export const notWrittenFields = (resolvers: object): string[] =>
  Object.entries(resolvers as Record<string, Record<string, unknown>>).flatMap(([type, fields]) =>
    Object.entries(fields)
      .filter(([, field]) => isNotWritten(field))
      .map(([field]) => `${type}.${field}`),
  );

export const PATH = '/graphql';

interface GraphQLOptions {
  typeDefs: string;
  resolvers: object;
  services: ServedServices;
  limits: Limits;
  maxBatch: number;
  /** Files or folders of the only documents that may run; undefined allows any. */
  trusted: string | undefined;
  introspection: boolean;
  /** Enables suggestions in messages, and GraphiQL for a browser. */
  development: boolean;
  /** For the part of live messages. */
  sockets: object;
  onReplaced: Generation['onReplaced'];
  now: () => number;
}

export async function mountGraphql(app: FastifyInstance, options: GraphQLOptions): Promise<void> {
  const errors = errorFormatter(options.development);
  const schema = executableSchema(options.typeDefs, options.resolvers, {
    onField: app.core.seams.observability.countField,
    policy: app.core.policy,
    services: options.services.operations,
  });
  const { trusted, development, introspection } = options;
  const documents = trusted === undefined ? anyDocument() : trustedDocuments(readTrusted([trusted], schema));
  const openIntrospection = development && introspection;
  const { stages } = options.services.operations;
  const engine = await graphqlEngine(app, { ...options, stages, schema, documents, openIntrospection });
  await app.register(async (scope) => mountPost(scope, engine, options, errors));
  const serve = app.core.seams.live.serve as ((graphql: object) => WebsocketHandler) | undefined;
  const wsHandler = serve?.({ ...options, engine, format: errors });
  await app.register(async (scope) => mountGet(scope, options, wsHandler));
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
      const one = await engine.identify({ request, transport: 'post', params, turn });
      const result = await engine.run(one, contextOf(request, services));
      if (one.prepared?.operation.operation === 'mutation' && result.data) writing.add(request);
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
    const operations = await engine.read({ request, transport: 'post', body });
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
const ONLY_POST =
  'Send GraphQL operations with POST, or open a WebSocket. Set `preferGetMethod: false` in urql, and leave out `useGETForQueries` in Apollo Client.';

/** Answers an upgrade with a socket, a browser with GraphiQL outside production, and other requests with 405. */
function mountGet(
  app: FastifyInstance,
  { development }: GraphQLOptions,
  wsHandler: WebsocketHandler | undefined,
): void {
  const refuse = async (): Promise<never> => {
    throw new Failure('METHOD_NOT_ALLOWED', ONLY_POST, { allow: ['POST'] });
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

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';

/** Returns the media type of an answer (GraphQL over HTTP, "Accept"). `application/json` has precedence. */
export function mediaTypeFor(accept: string | undefined): string {
  if (accept === undefined) return JSON_TYPE;
  const known = accept.replace(/;\s*charset="?utf-8"?/gi, '');
  const takes = (type: string) => acceptableTypes(known, [type]).length > 0;
  return !takes('application/json') && takes('application/graphql-response+json') ? GRAPHQL_TYPE : JSON_TYPE;
}
