import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import fp from 'fastify-plugin';
import { Failure, notWritten } from '../calls/errors.js';
import type { Catalogue } from '../contract/codes.js';
import type { OpenApiDocument } from '../contract/document.js';
import { inlineSchemas } from '../contract/inline.js';
import { type Operation, operations, placeOf, prefixOf, versionsOf } from '../contract/openapi.js';
import type { Forwarded } from '../forward/answers.js';
import type { Upstreams } from '../forward/upstreams.js';
import { readDeclared } from '../http/bodies.js';
import { callOf } from '../http/call.js';
import { addressOf } from '../http/failures.js';
import { schemaCompiler } from '../http/json-schema.js';
import { compressible, varyBy } from '../http/reply.js';
import { acceptable, pathOf } from '../http/request.js';
import { type SessionCookies, sessionCookies } from '../http/session-cookies.js';
import { checkRoutes } from '../operations/check.js';
import { isNotWritten, isRoute } from '../operations/route.js';
import type { ServedContracts } from '../pages/published.js';
import type { PlatformServices } from '../services.js';
import type { Context, Platform } from './context.js';
import { checkContract } from './contract-check.js';
import { parametersIn } from './parameters.js';
import { type Plan, planOf } from './plan.js';
import { type Reply, replyWriter } from './represent.js';
import { bodyForms } from './request-body.js';
import { restHandler } from './routes.js';
import { type ReadRequest, routeSchema, structureValidator } from './validation.js';

/** For a document at the address of its release, which never changes (RFC 8246). */
const FOR_EVER = 'public, max-age=31536000, immutable';

type Handler = (request: ReadRequest, context: Context) => Promise<Reply>;
/** By tag and operationId. The compiler asks for a handler of each operation; a missing one answers 501. */
export type Handlers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const givenHandler = (handlers: Handlers, { tag, operationId }: Operation): unknown =>
  handlers[tag]?.[operationId] ?? notWritten;
const isForwarded = (operation: Operation): operation is Forwarded => operation.forward !== undefined;

/** Returns the operations of the contract that are not written yet, each once for all versions. */
export const notWrittenOperations = (document: OpenApiDocument, handlers: Handlers): string[] => {
  const missing = operations(document).filter(
    (operation) => !isForwarded(operation) && isNotWritten(givenHandler(handlers, operation)),
  );
  return [...new Set(missing.map(({ operationId }) => operationId))];
};

/** Addresses that the start of the service shows. */
export interface RestEntry {
  /** The beginnings of the addresses of each version. */
  prefixes: string[];
  /** The first address of the newest version without parameters that takes Basic credentials. */
  sample: string | undefined;
}

/** @param served the versions, oldest first */
export const restEntry = (operations: Operation[], served: readonly string[]): RestEntry => ({
  prefixes: served.map(prefixOf),
  sample: operations.find(
    ({ method, path, security }) =>
      method === 'GET' &&
      placeOf(path)?.version === served.at(-1) &&
      !path.includes('{') &&
      security.some((alternative) => 'basicAuth' in alternative),
  )?.path,
});

/** Checks content and rate of a public operation before its answer, if its service did not. */
const publicHandler = (handler: Handler, operation: Operation): Handler => {
  const written = replyWriter(operation);
  return async (request, context) => {
    const answer = await handler(request, context);
    if (operation.counted) await context.call.enforce();
    return written(answer);
  };
};

interface RestOptions {
  document: OpenApiDocument;
  handlers: Handlers;
  services: PlatformServices;
  platform: Pick<Platform, 'ready' | 'metrics'>;
  contracts: Pick<ServedContracts, 'at'>;
  upstreams: Upstreams;
  /** The codes of the application. */
  errors: Catalogue;
}

/**
 * Mounts the REST half of the contract. The pipeline has the stages of an operation (`restStagesPlugin`). The rest is done around its
 * handler: authorisation (403), loading (404, 410), states (409, 412) and `call.enforce` (422, 429) before the first effect.
 */
export const restPlugin = fp<RestOptions>(
  async (app, { document, handlers, services, platform, contracts, upstreams, errors }) => {
    const all = operations(inlineSchemas(document));
    checkContract(document, all, app.names, upstreams);
    checkRoutes(
      app.policy,
      services.operations.models,
      all.flatMap((operation) => checkedRoute(operation, handlers)),
    );
    const ajv = schemaCompiler();
    app.setValidatorCompiler(structureValidator(ajv));

    const forwarded = all.filter(isForwarded);
    const forwardingHandlers =
      forwarded.length === 0
        ? new Map<Operation, Handler>()
        : (await import('../forward/forward.js')).forwardingHandlers(forwarded, { upstreams, ajv, errors });
    const handlerOf = (operation: Operation): Handler => {
      const forwarding = forwardingHandlers.get(operation);
      if (forwarding) return forwarding;
      const given = givenHandler(handlers, operation);
      return isRoute(given) ? restHandler(operation, given, services) : publicHandler(given as Handler, operation);
    };

    const documentsFor =
      (request: FastifyRequest): Platform['document'] =>
      async (name, asked) => {
        const { release, documents } = contracts.at(addressOf(request) || '/');
        if (asked !== undefined && asked !== release)
          throw new Failure('NOT_FOUND', 'Another release of the contracts is served.');
        const headers = {
          'content-location': `${pathOf(request.url)}?release=${encodeURIComponent(release)}`,
          'cache-control': asked === undefined ? 'no-cache' : FOR_EVER,
        };
        return { headers, body: compressible(documents[name]) };
      };
    const newest = versionsOf(document).at(-1);

    /** Returns a function that makes the context of a call. */
    function contextsFor({ version = newest, contentIssues, keyOf }: Plan) {
      const refresh = refreshPath(all, version, app.names.refreshCookie);
      const [cookies, secureCookies] = [false, true].map((https) => sessionCookies(app.names, refresh, https)) as [
        SessionCookies,
        SessionCookies,
      ];
      const prefix = version === undefined ? '' : prefixOf(version);
      return (request: FastifyRequest, reply: FastifyReply): Context => ({
        services: services.handlers,
        platform: { ...platform, document: documentsFor(request) },
        prefix,
        call: callOf(request, () => contentIssues(request.read), keyOf(request.read)),
        page: request.page,
        pathname: pathOf(request.url),
        accepts: (types) => {
          varyBy(reply, 'Accept');
          return acceptable(request.headers.accept, types)[0];
        },
        ownOrigin: () => app.refuseForeignOrigin(request),
        sessionCookies: request.protocol === 'https' ? secureCookies : cookies,
      });
    }

    /** Returns the handler of a route: it follows the stages of the operation. */
    function routeHandler(plan: Plan) {
      const { operation, send } = plan;
      const handler = handlerOf(operation);
      const contextOf = contextsFor(plan);
      return async (request: FastifyRequest, reply: FastifyReply) => {
        const { read, answerType } = request;
        if (operation.credentialsInBody) app.refusePlainHttp(request);
        if (operation.method !== 'GET') app.refuseForeignCookie(request);
        const answer = handler(read, contextOf(request, reply));
        // A stream is read while its handler works, or not at all.
        const result = await (read.body instanceof Readable
          ? answer.finally(() => (read.body as Readable).destroy())
          : answer);
        return send(request, reply, result, answerType);
      };
    }

    const mounted = new Map(all.map((operation) => [`${operation.method} ${operation.path}`, operation]));
    const operationResolver = (_id: string, method: string, path: string) => {
      const operation = mounted.get(`${method} ${path}`) as Operation;
      const plan = planOf(app, ajv, operation, services.cursors);
      const config = { plan, counted: operation.counted };
      return { config, schema: routeSchema(operation), handler: routeHandler(plan) };
    };
    // A context of its own: other routes read JSON only, whatever the contract declares.
    await app.register(async (scope) => {
      const types = all.flatMap((operation) => bodyForms(operation).map(({ type }) => type));
      readDeclared(scope, types, ({ route, headers }) => Boolean(route.plan?.bodyForm(headers['content-type'] ?? '')));
      // The glue makes a route of method and path; the resolver completes it.
      const options = { specification: routeTable(document, all), operationResolver: operationResolver as never };
      await scope.register(openapiGlue, options);
    });
  },
  { name: 'rest', dependencies: ['rest-stages', 'json-body', 'common-stages', 'origins', 'rate-limit'] },
);

/** Returns what is checked of the route of an operation; nothing for public and forwarded operations, which have none. */
function checkedRoute(operation: Operation, handlers: Handlers) {
  const { operationId, permission } = operation;
  if (permission === 'public' || isForwarded(operation)) return [];
  const parameters = parametersIn(operation, 'path').map(({ name }) => name);
  return [{ by: operationId, action: permission.action, route: givenHandler(handlers, operation), parameters }];
}

/** Returns the paths and ids for fastify-openapi-glue. Schemas come through the resolver; security is a stage. */
function routeTable({ openapi, info }: OpenApiDocument, all: Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, operation } of all) {
    const parameters = operation.parameters.filter((one) => one.in === 'path');
    const item = { operationId, parameters, responses: { default: { description: 'see the contract' } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: item };
  }
  return { openapi, info, paths };
}

/**
 * Returns the path below which a version uses the refresh token: a browser sends the cookie nowhere else. It is the common folder of the
 * operations that take the cookie.
 * @param version undefined for a contract without versions
 */
function refreshPath(operations: readonly Operation[], version: string | undefined, cookie: string): string {
  const folders = operations
    .filter(({ path }) => placeOf(path)?.version === version)
    .filter(({ operation }) => operation.parameters.some((one) => one.in === 'cookie' && one.name === cookie))
    .map(({ path }) => path.replace(/\/[^/]*{.*/, '').split('/'));
  const [first] = folders;
  if (first === undefined) return version === undefined ? '/' : prefixOf(version);
  const apart = first.findIndex((segment, at) => folders.some((folder) => folder[at] !== segment));
  return first.slice(0, apart < 0 ? first.length : apart).join('/') || '/';
}
