/** The Fastify plugin that mounts the operations of the REST contract with their handlers. @module */

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import type { Mechanism } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Cursors } from '../calls/rows.js';
import { andThen } from '../calls/schedulers.js';
import { kindOf, type OpenApiDocument } from '../contract/document.js';
import { operations, prefixOf, type RestOperation, splitPath, takesKey, versionsOf } from '../contract/openapi.js';
import { parameterForm } from '../contract/parameter-form.js';
import { OPERATIONS_OF, refuseUnanswered } from '../contract/part-operations.js';
import { PUBLISHED, type ServedContracts } from '../contract/published.js';
import { inlineSchemas } from '../contract/schemas.js';
import type { ServedServices } from '../http/call.js';
import { addressOf } from '../http/failures.js';
import { acceptableTypes, addVary, markCompressible, pathOf } from '../http/headers.js';
import { schemaCompiler } from '../http/json-schema.js';
import type { Names } from '../names.js';
import { checkRoutes } from '../operations/check.js';
import { isNotWritten, isRoute } from '../operations/route.js';
import { walk, wayOf } from '../way.js';
import { parametersIn } from './parameters.js';
import { type Plan, planOf } from './plan.js';
import { replyWriter } from './represent.js';
import { type Context, type Platform, type RestHandler, restHandler } from './routes.js';

/** The document of a release never changes (RFC 8246). */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export type Handlers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const givenHandler = (handlers: Handlers, { tag, operationId }: RestOperation): unknown => handlers[tag]?.[operationId];

/**
 * Adds the handlers of parts and of published contracts to those of an application.
 * @param ofParts by operationId
 * @throws Error for an operation without a handler
 */
function completeHandlers(
  all: readonly RestOperation[],
  handlers: Handlers,
  ofParts: Readonly<Record<string, unknown>>,
): Handlers {
  const complete: Record<string, Record<string, unknown>> = {};
  for (const operation of all) {
    const { tag, operationId } = operation;
    const handler = givenHandler(handlers, operation) ?? ofParts[operationId] ?? publication(operation);
    if (handler === undefined) refuseUnanswered(operationId, `\`${tag}\` of the handlers`);
    complete[tag] = { ...complete[tag], [operationId]: handler };
  }
  return complete;
}

/** Answers with a published contract, and with the headers that the operation declares. */
function publication({ path, method, operation }: RestOperation): RestHandler | undefined {
  const name = Object.hasOwn(PUBLISHED, path) && method === 'GET' && PUBLISHED[path as keyof typeof PUBLISHED];
  if (!name) return undefined;
  const declared = Object.keys(operation.responses['200']?.headers ?? {}).map((header) => header.toLowerCase());
  return async ({ query }, { platform }) => {
    const { headers, body } = await platform.document(name, query['release'] as string | undefined);
    const sent = Object.entries(headers).filter(([header]) => declared.includes(header));
    return { status: 200, headers: Object.fromEntries(sent), body };
  };
}

/** Returns the operations that are not written yet, each once for all versions. */
export const notWrittenOperations = (all: readonly RestOperation[], handlers: Handlers): string[] => {
  const missing = all.filter((operation) => isNotWritten(givenHandler(handlers, operation)));
  return [...new Set(missing.map(({ operationId }) => operationId))];
};

const isProbe = (operationId: string): boolean => OPERATIONS_OF.observability.some((name) => name === operationId);

export type RestEntry = ReturnType<typeof restEntry>;

/** Returns the prefixes, the paths of health and metrics, and the first path of the newest version without parameters that takes Basic credentials. */
export const restEntry = (operations: RestOperation[], served: readonly string[]) => ({
  prefixes: served.map(prefixOf),
  probes: operations.flatMap(({ operationId, path }) => (isProbe(operationId) ? path : [])),
  sample: operations.find(
    ({ method, path, security }) =>
      method === 'GET' &&
      splitPath(path)?.version === served.at(-1) &&
      !path.includes('{') &&
      security.some((alternative) => 'basicAuth' in alternative),
  )?.path,
});

/** Calls `enforce` before the answer of a public operation, unless its service did. */
const publicHandler = (handler: RestHandler, operation: RestOperation): RestHandler => {
  const written = replyWriter(operation);
  return async (request, context) => {
    try {
      const response = await handler(request, context);
      if (operation.counted) await context.call.enforce();
      return written(response);
    } catch (error) {
      // Invalid content may have caused the error, and 422 takes precedence.
      if (operation.counted && !(error instanceof Failure)) await context.call.enforce();
      throw error;
    }
  };
};

interface RestOptions {
  document: OpenApiDocument;
  handlers: Handlers;
  /** The handlers of parts, by operationId. */
  ofParts: Readonly<Record<string, unknown>>;
  services: ServedServices & { readonly cursors: Cursors };
  platform: Pick<Platform, 'ready' | 'metrics'>;
  contracts: Pick<ServedContracts, 'at'>;
}

/**
 * Mounts the REST operations. The pipeline has their stages; authorisation (403), loading (404, 410), states (409, 412)
 * and `call.enforce` (422, 429) happen around the handlers.
 */
export async function mountRest(
  app: FastifyInstance,
  { document, handlers: own, ofParts, services, platform, contracts }: RestOptions,
): Promise<void> {
  const all = operations(inlineSchemas(document));
  checkContract(document, all, app.core.names);
  const handlers = completeHandlers(all, own, ofParts);
  checkRoutes(
    app.core.policy,
    services.operations.models,
    all.flatMap((operation) => checkedRoute(operation, handlers)),
  );
  const ajv = schemaCompiler();

  const handlerOf = (operation: RestOperation): RestHandler => {
    const given = givenHandler(handlers, operation);
    return isRoute(given) ? restHandler(operation, given, services) : publicHandler(given as RestHandler, operation);
  };

  const documentsFor =
    (request: FastifyRequest): Platform['document'] =>
    async (name, asked) => {
      const { release, documents } = contracts.at(addressOf(request) || '/');
      if (asked !== undefined && asked !== release)
        throw new Failure('NOT_FOUND', 'Another release of the contracts is served.');
      const headers = {
        'content-location': `${pathOf(request.url)}?release=${encodeURIComponent(release)}`,
        'cache-control': asked === undefined ? 'no-cache' : IMMUTABLE,
      };
      return { headers, body: markCompressible(documents[name]) };
    };
  const newest = versionsOf(document).at(-1);

  function contextsFor({ version = newest, contentIssues, keyOf }: Plan) {
    const refresh = refreshPath(all, version, app.core.names.refreshCookie);
    const { identity, browsers } = app.core.seams;
    const [cookies, secureCookies] = [identity.sessionCookies(refresh, false), identity.sessionCookies(refresh, true)];
    const prefix = version === undefined ? '' : prefixOf(version);
    return (request: FastifyRequest, reply: FastifyReply): Context => ({
      services: services.handlers,
      platform: { ready: platform.ready, metrics: platform.metrics, document: documentsFor(request) },
      prefix,
      call: services.callOf(request, () => contentIssues(request.read), keyOf(request.read)),
      page: request.page,
      pathname: pathOf(request.url),
      accepts: (types) => {
        addVary(reply, 'Accept');
        return acceptableTypes(request.headers.accept, types)[0];
      },
      ownOrigin: () => browsers.refuseForeignOrigin(request),
      sessionCookies: request.protocol === 'https' ? secureCookies : cookies,
    });
  }

  function routeHandler(plan: Plan) {
    const { operation, send } = plan;
    const handler = handlerOf(operation);
    const contextOf = contextsFor(plan);
    const { credentialsInBody, writes } = operation;
    const ready = wayOf(services.operations.stages, 'ready', { on: 'REST', writes, credentialsInBody });
    function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { read, responseType } = request;
      const { body } = read;
      const replied = handler(read, contextOf(request, reply));
      // A stream is useless after its handler.
      const ended = body instanceof Readable ? replied.finally(() => body.destroy()) : replied;
      return ended.then((result) => send(request, reply, result, responseType));
    }
    return (request: FastifyRequest, reply: FastifyReply) =>
      andThen(walk(ready, { request }), () => answer(request, reply));
  }

  const mounted = new Map(all.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  const operationResolver = (_id: string, method: string, path: string) => {
    const operation = mounted.get(`${method} ${path}`) as RestOperation;
    const plan = planOf(app, ajv, operation, services.cursors);
    const config = { plan, counted: operation.counted };
    return { config, schema: {}, handler: routeHandler(plan) };
  };
  // fastify-openapi-glue makes routes of methods and paths; the resolver completes them.
  const options = { specification: routeTable(document, all), operationResolver: operationResolver as never };
  await app.register(openapiGlue, options);
}

/** Returns the route of an operation for its check. Public operations have none. */
function checkedRoute(operation: RestOperation, handlers: Handlers) {
  const { operationId, permission } = operation;
  if (permission === 'public') return [];
  const parameters = parametersIn(operation, 'path').map(({ name }) => name);
  return [{ operation: operationId, action: permission.action, route: givenHandler(handlers, operation), parameters }];
}

/** Returns the paths and ids for fastify-openapi-glue. Schemas and security are stages. */
function routeTable({ openapi, info }: OpenApiDocument, all: RestOperation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, operation } of all) {
    const parameters = operation.parameters.filter((parameter) => parameter.in === 'path');
    const item = { operationId, parameters, responses: { default: { description: 'see the contract' } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: item };
  }
  return { openapi, info, paths };
}

/** Returns the common folder of the operations that use the refresh cookie. Browsers send the cookie only there. */
function refreshPath(operations: readonly RestOperation[], version: string | undefined, cookie: string): string {
  const folders = operations
    .filter(({ path }) => splitPath(path)?.version === version)
    .filter(({ operation }) => operation.parameters.some(({ in: at, name }) => at === 'cookie' && name === cookie))
    .map(({ path }) => path.replace(/\/[^/]*{.*/, '').split('/'));
  const [first] = folders;
  if (first === undefined) return version === undefined ? '/' : prefixOf(version);
  const apart = first.findIndex((segment, at) => folders.some((folder) => folder[at] !== segment));
  return first.slice(0, apart < 0 ? first.length : apart).join('/') || '/';
}

const KNOWN_SCHEMES: readonly string[] = [
  'basicAuth',
  'opaqueToken',
  'jwt',
  'cookieAuth',
  'metricsToken',
] satisfies readonly (Mechanism | 'metricsToken')[];

/**
 * Compares the contract with the code: security schemes, cookies, the vendor media type, and parameters.
 * @throws Error that lists all differences
 */
export function checkContract({ components }: OpenApiDocument, operations: RestOperation[], names: Names): void {
  const schemes = Object.entries(components.securitySchemes ?? {});
  const problems = [
    ...schemes.flatMap(([name]) => (KNOWN_SCHEMES.includes(name) ? [] : `security scheme ${name} has no handler`)),
    ...schemes.flatMap(([, scheme]) =>
      scheme.type === 'apiKey' && scheme.in === 'cookie' ? otherCookie(scheme.name, [names.accessCookie]) : [],
    ),
    ...operations.flatMap((operation) => [...checkOperation(operation), ...otherNames(operation, names)]),
  ];
  const unique = [...new Set(problems)];
  if (unique.length > 0) throw new Error(`openapi.yaml and the code disagree:\n  ${unique.join('\n  ')}`);
}

function checkOperation(described: RestOperation): string[] {
  const { operationId, security, permission, operation } = described;
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  const unknown = schemes.filter((scheme) => !KNOWN_SCHEMES.includes(scheme));
  const problems = unknown.map((scheme) => `requires ${scheme}, which has no handler`);
  if (permission !== 'public' && schemes.length === 0) problems.push('has a permission and takes no credentials');
  if (takesKey(described) && permission === 'public')
    problems.push('is public and takes an Idempotency-Key, which belongs to a caller');
  const hasStream = Object.keys(operation.requestBody?.content ?? {}).some((type) => kindOf(type) === 'stream');
  if (takesKey(described) && hasStream)
    problems.push('takes an Idempotency-Key with a body that is a stream, which cannot be compared with another');
  for (const parameter of operation.parameters) {
    const form = parameterForm(parameter);
    const { in: place, name } = parameter;
    if (form.kind === 'unsupported') problems.push(`has the ${place} parameter ${name}, which ${form.reason}`);
  }
  return problems.map((problem) => `${operationId} ${problem}`);
}

const otherCookie = (name: string, own: string[]): string[] =>
  own.includes(name) ? [] : [`the cookie ${name} is not ${own.join(' or ')}, which the application's name makes it`];

function otherNames(
  { operationId, operation }: RestOperation,
  { mediaType, accessCookie, refreshCookie }: Names,
): string[] {
  const bodies = [operation.requestBody, ...Object.values(operation.responses)];
  const vendor = bodies
    .flatMap((body) => Object.keys(body?.content ?? {}))
    .filter((type) => /^application\/vnd\.[^;]*\+json$/.test(type) && type !== mediaType);
  const cookies = operation.parameters
    .filter((parameter) => parameter.in === 'cookie' && /_(access|refresh)$/.test(parameter.name))
    .flatMap(({ name }) => otherCookie(name, [accessCookie, refreshCookie]));
  return [
    ...vendor.map((type) => `${operationId} speaks ${type}, and the application's own is ${mediaType}`),
    ...cookies.map((problem) => `${operationId}: ${problem}`),
  ];
}
