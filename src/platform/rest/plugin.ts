import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import fp from 'fastify-plugin';
import { Failure, notWritten } from '../calls/errors.js';
import type { Catalogue } from '../contract/codes.js';
import type { OpenApiDocument } from '../contract/document.js';
import { inlineSchemas } from '../contract/inline.js';
import { type Operation, operations } from '../contract/openapi.js';
import { placeOf, prefixOf, versionsOf } from '../contract/versions.js';
import type { Forwarded } from '../forward/answers.js';
import type { Upstreams } from '../forward/upstreams.js';
import { acceptable } from '../http/accept.js';
import { readDeclared } from '../http/bodies.js';
import { compressible } from '../http/bytes.js';
import { callOf } from '../http/call.js';
import { schemaCompiler } from '../http/json-schema.js';
import { pathOf } from '../http/path.js';
import { type SessionCookies, sessionCookies } from '../http/session-cookies.js';
import { varyBy } from '../http/vary.js';
import { checkRoutes } from '../operations/check.js';
import { isNotWritten, isRoute } from '../operations/route.js';
import type { ServedContracts } from '../pages/published.js';
import type { PlatformServices } from '../services.js';
import type { Context } from './context.js';
import { checkContract } from './contract-check.js';
import { parametersIn } from './parameters.js';
import { type Plan, planOf } from './plan.js';
import type { Platform } from './platform-context.js';
import { refreshPath } from './refresh-path.js';
import { type Reply, replyWriter } from './represent.js';
import { bodyForms } from './request-body.js';
import { restHandler } from './routes.js';
import { routeSchema, structureValidator } from './structure.js';
import type { ReadRequest } from './validation.js';

/** What never changes at its address (RFC 8246). */
const FOR_EVER = 'public, max-age=31536000, immutable';

type Handler = (request: ReadRequest, context: Context) => Promise<Reply>;
/** By tag and operationId; the compiler sees to it that each operation has one, and who does not ask it gets 501. */
export type Handlers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const givenHandler = (handlers: Handlers, { tag, operationId }: Operation): unknown =>
  handlers[tag]?.[operationId] ?? notWritten;
const isForwarded = (operation: Operation): operation is Forwarded => operation.forward !== undefined;

/** A public operation: content and rate are checked before its answer, by the platform where its service did not. */
const publicHandler = (handler: Handler, operation: Operation): Handler => {
  const written = replyWriter(operation);
  return async (request, context) => {
    const answer = await handler(request, context);
    if (operation.counted) await context.call.checkpoint();
    return written(answer);
  };
};

/** The operations of the contract that are not written yet. */
export const notWrittenOperations = (document: OpenApiDocument, handlers: Handlers): string[] =>
  onceEach(
    operations(document)
      .filter((operation) => !isForwarded(operation) && isNotWritten(givenHandler(handlers, operation)))
      .map(({ operationId }) => operationId),
  );

/** An operation stands in the document once for each version that has it. */
const onceEach = (names: string[]): string[] => [...new Set(names)];

interface RestOptions {
  document: OpenApiDocument;
  handlers: Handlers;
  services: PlatformServices;
  platform: Pick<Platform, 'ready' | 'metrics'>;
  contracts: Pick<ServedContracts, 'at'>;
  /** PUBLIC_URL; where it is unset, the request says at which address it calls. */
  publicUrl: string | undefined;
  upstreams: Upstreams;
  /** The codes of the application. */
  errors: Catalogue;
}

/**
 * Mounts the REST half of the contract. Each operation has its stages from the pipeline (`restStagesPlugin`), but for what the
 * handler's service does: it authorises (403), loads (404, 410), compares states (409, 412) and passes the checkpoint (422,
 * 429) before its first effect.
 */
export const restPlugin = fp<RestOptions>(
  async (
    app,
    { document, handlers, services, platform: { ready, metrics }, contracts, publicUrl, upstreams, errors },
  ) => {
    const all = operations(inlineSchemas(document));
    checkContract(document, all, app.names, upstreams);
    checkRoutes(
      app.policy,
      services.operations.models,
      all.flatMap((one) =>
        one.permission === 'public' || isForwarded(one)
          ? []
          : [
              {
                by: one.operationId,
                action: one.permission.action,
                route: givenHandler(handlers, one),
                parameters: parametersIn(one, 'path').map(({ name }) => name),
              },
            ],
      ),
    );
    const ajv = schemaCompiler();
    app.setValidatorCompiler(structureValidator(ajv));

    const forwarded = all.filter(isForwarded);
    const handlersOfForwarded =
      forwarded.length === 0
        ? new Map<Operation, Handler>()
        : (await import('../forward/forward.js')).forwardingHandlers(forwarded, { upstreams, ajv, errors });
    const mounted = new Map(all.map((operation) => [`${operation.method} ${operation.path}`, operation]));
    const newest = versionsOf(document).at(-1);
    const documentsFor =
      (request: FastifyRequest): Platform['document'] =>
      async (name, asked) => {
        const { release, documents } = await contracts.at(addressOf(request, publicUrl));
        if (asked !== undefined && asked !== release)
          throw new Failure('NOT_FOUND', 'Another release of the contracts is served.');
        const headers = {
          'content-location': `${pathOf(request.url)}?release=${encodeURIComponent(release)}`,
          'cache-control': asked === undefined ? 'no-cache' : FOR_EVER,
        };
        return { headers, body: compressible(documents[name]) };
      };
    const handlerOf = (operation: Operation): Handler => {
      const forwarding = handlersOfForwarded.get(operation);
      if (forwarding) return forwarding;
      const given = givenHandler(handlers, operation);
      return isRoute(given) ? restHandler(operation, given, services) : publicHandler(given as Handler, operation);
    };
    const operationResolver = (_id: string, method: string, path: string) => {
      const operation = mounted.get(`${method} ${path}`) as Operation;
      const version = placeOf(path)?.version ?? newest;
      const plan = planOf(app, ajv, operation, services.cursors);
      return {
        config: { plan, counted: operation.counted },
        schema: routeSchema(operation),
        handler: handle(app, plan, handlerOf(operation), {
          services: services.handlers,
          platformFor: (request) => ({ ready, metrics, document: documentsFor(request) }),
          prefix: version === undefined ? '' : prefixOf(version),
          refreshPath: refreshPath(all, version, app.names.refreshCookie),
        }),
      };
    };
    // In a context of their own: what else the service has reads JSON alone, whatever the contract declares.
    await app.register(async (operations) => {
      const types = all.flatMap((operation) => bodyForms(operation).map(({ type }) => type));
      readDeclared(operations, types, ({ route, headers }) =>
        Boolean(route.plan?.bodyForm(headers['content-type'] ?? '')),
      );
      // What the resolver returns completes the route that the glue makes of method and path.
      const options = { specification: routeTable(document, all), operationResolver: operationResolver as never };
      await operations.register(openapiGlue, options);
    });
  },
  { name: 'rest', dependencies: ['rest-stages', 'json-body', 'confidential', 'own-origin', 'rate-limit'] },
);

/** The address by which the service is called: a slash where the request does not say, which is where the document came from. */
function addressOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  const address = publicUrl ?? `${protocol}://${host}`;
  return URL.canParse(address) ? new URL(address).origin : '/';
}

/** What fastify-openapi-glue needs to know: paths and ids. Schemas reach Fastify through the resolver; security is a stage. */
function routeTable({ openapi, info }: OpenApiDocument, all: Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, operation } of all) {
    const parameters = operation.parameters.filter((one) => one.in === 'path');
    const item = { operationId, parameters, responses: { default: { description: 'see the contract' } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: item };
  }
  return { openapi, info, paths };
}

/** The handler of a route: what is left to do when the stages before it have passed. */
function handle(
  app: FastifyInstance,
  { operation, contentIssues, keyOf, send }: Plan,
  handler: Handler,
  {
    services,
    platformFor,
    prefix,
    refreshPath,
  }: Pick<Context, 'services' | 'prefix'> & {
    platformFor: (request: FastifyRequest) => Platform;
    refreshPath: string;
  },
) {
  const [cookies, cookiesByHttps] = [false, true].map((https) => sessionCookies(app.names, refreshPath, https)) as [
    SessionCookies,
    SessionCookies,
  ];
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { read, page, answerType } = request;
    if (operation.credentialsInBody) app.refusePlainHttp(request);
    if (operation.method !== 'GET') app.refuseForeignCookie(request);
    const answer = handler(read, {
      services,
      platform: platformFor(request),
      prefix,
      call: callOf(app, request, () => contentIssues(read), keyOf(read)),
      page,
      pathname: pathOf(request.url),
      accepts: (types) => {
        varyBy(reply, 'Accept');
        return acceptable(request.headers.accept, types)[0];
      },
      ownOrigin: () => app.refuseForeignOrigin(request),
      sessionCookies: request.protocol === 'https' ? cookiesByHttps : cookies,
    });
    // A stream is read while its handler is at work, or not at all.
    const result = await (read.body instanceof Readable
      ? answer.finally(() => (read.body as Readable).destroy())
      : answer);
    return send(request, reply, result, answerType);
  };
}
