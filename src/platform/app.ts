import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import type { Administration } from './accounts/administration.js';
import type { HashParameters } from './accounts/passwords.js';
import type { Application } from './application.js';
import { composeServices } from './composition.js';
import { normaliseOpenApi, type Operation, operations } from './contract/openapi.js';
import { everyVersion, placeOf, prefixOf, versionsOf } from './contract/versions.js';
import type { Database } from './database/open.js';
import { outages } from './database/outages.js';
import { refused } from './graphql/errors.js';
import { mediaTypeFor } from './graphql/media-type.js';
import { graphqlPlugin, notWrittenFields, PATH } from './graphql/plugin.js';
import { authenticatePlugin } from './http/authenticate.js';
import { confidentialPlugin } from './http/confidential.js';
import { crossOrigin } from './http/cross-origin.js';
import { refuseForeignHost, refuseSecondHost } from './http/host.js';
import { jsonBodyPlugin } from './http/json-body.js';
import { metricsPlugin } from './http/metrics.js';
import { ownOriginPlugin } from './http/own-origin.js';
import { sendProblem } from './http/problems.js';
import { refusalsPlugin } from './http/refusals.js';
import { sessionCookiesPlugin } from './http/session-cookies.js';
import { webSocketPlugin } from './http/websocket.js';
import { ADMISSION, type AdmissionLimits, admissionPlugin } from './limits/admission.js';
import { rateLimitPlugin } from './limits/rate-limit.js';
import { shedding } from './limits/shedding.js';
import type { SocketLimits } from './live/sockets.js';
import { type Names, namesOf, titleOf } from './names.js';
import { docs } from './pages/docs.js';
import { publishedContracts } from './pages/published.js';
import { type Handlers, notWrittenOperations, restPlugin } from './rest/plugin.js';
import { answerUnmatched, pathTable, redirectTrailingSlash } from './rest/unmatched.js';
import { refuseVersion, versionPlugin, versionRouting } from './rest/version-plugin.js';
import type { Config } from './server/config.js';
import { httpServer } from './server/http-server.js';
import { readiness } from './server/readiness.js';
import { TIMEOUTS, type Timeouts, timeoutsPlugin } from './server/timeouts.js';

export interface AppOptions {
  database: Database;
  logger: NonNullable<FastifyServerOptions['logger']>;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Where the limits of what is under way differ from the usual ones. */
  admission?: Partial<AdmissionLimits>;
  /** Where the time-outs differ from the usual ones. */
  timeouts?: Partial<Timeouts>;
  /** The contracts to serve and to publish; those of the repository. */
  contracts?: Awaited<ReturnType<typeof publishedContracts>> | undefined;
  /** Where the limits of sockets differ from the usual ones. */
  sockets?: Partial<SocketLimits>;
  /** What a hash of a password takes, where it differs from the usual. */
  hashing?: HashParameters | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What the application's name becomes. */
    names: Names;
    /** What the contracts promise and nobody has written yet. */
    notWritten: string[];
    /** Where a reader begins: what the addresses of each version begin with, and something to read with a login. */
    restEntry: { prefixes: string[]; sample: string | undefined };
    /** What an operator commands, from the machine that it runs on. */
    administration: Administration;
  }
}

/** Directives in a document; the contract names no variable for it. */
const GRAPHQL_MAX_DIRECTIVES = 50;

/** An application's whole service as one Fastify instance that does not listen yet. Nothing happens on import. */
export async function buildApp(
  application: Application,
  config: Config,
  {
    database,
    logger,
    now = Date.now,
    admission,
    timeouts: otherTimeouts,
    contracts: given,
    sockets,
    hashing,
  }: AppOptions,
): Promise<FastifyInstance> {
  const { production } = config;
  const names = namesOf(application.name);
  const title = titleOf(application);
  const handlers = application.handlers as Handlers;
  const timeouts = { ...TIMEOUTS, ...otherTimeouts };
  const contracts = given ?? (await publishedContracts());
  const document = everyVersion(normaliseOpenApi(contracts.openapi));
  const all = operations(document);
  const paths = pathTable(all);
  const isResource = (path: string) => paths.at(path) !== undefined;
  const versioned = { served: versionsOf(document), isResource, mediaType: names.mediaType };

  const app = httpServer(config, { logger, timeouts, rewriteUrl: versionRouting(versioned) });
  app.decorate('names', names);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(answerUnmatched(app, paths));
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));

  app.decorate('policy', application.policy);
  const told = outages(app.log);
  const services = await composeServices(app, application, config, database, told, { now, hashing });
  const { REDIS_URL } = config;
  const shared = REDIS_URL
    ? (await import('./limits/rate-shared.js')).sharedWindows(REDIS_URL, names, told.dependency('Redis'))
    : undefined;
  app.addHook('onClose', async () => shared?.close());

  // An API answer is not a page: it may load nothing. The pages bring policies of their own.
  const nothing = { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } };
  await app.register(helmet, { contentSecurityPolicy: nothing, strictTransportSecurity: false });
  await app.register(versionPlugin, versioned);
  // Before whatever refuses: it is what closes the socket of an upgrade that is refused.
  const { closing } = timeouts;
  await app.register(webSocketPlugin, { path: PATH, protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL, closing });
  if (!production) app.addHook('onRequest', refuseForeignHost(config.PUBLIC_URL));
  const pages = crossOrigin(config.CORS_ORIGINS, document);
  await app.register(cors, pages.options);
  await app.register(cookie);
  await app.register(sessionCookiesPlugin);
  await app.register(confidentialPlugin, {
    production,
    tls: Boolean(config.TLS_CERT),
    proxied: Boolean(config.TRUST_PROXY),
  });
  await app.register(ownOriginPlugin, { publicUrl: config.PUBLIC_URL });
  await app.register(jsonBodyPlugin);
  await app.register(metricsPlugin, {
    token: config.METRICS_TOKEN,
    proxied: Boolean(config.TRUST_PROXY),
    connections: database.connections,
    told,
  });
  await app.register(authenticatePlugin, { services });
  await app.register(refusalsPlugin, { services });
  await app.register(timeoutsPlugin, timeouts);
  await app.register(rateLimitPlugin, {
    limit: config.RATE_LIMIT,
    anonymous: config.RATE_LIMIT_ANONYMOUS,
    ceiling: config.RATE_CEILING ?? 10 * config.RATE_LIMIT,
    now,
    shared,
  });
  // After the rate limit, which may ask who calls before an answer is sent: until then the place is kept.
  await app.register(admissionPlugin, {
    limits: { ...ADMISSION, ...admission },
    document,
    refuse: shedding({
      graphql: { path: PATH, mediaType: mediaTypeFor, body: refused },
      corsHeaders: pages.headersFor,
      names,
    }),
  });
  app.addHook('onRequest', refuseSecondHost);
  app.addHook('onRequest', refuseVersion);
  const exists = (path: string) =>
    ['', ...versioned.served.map(prefixOf)].some((prefix) => isResource(prefix + path)) ||
    app.hasRoute({ url: path, method: 'GET' });
  app.addHook('onRequest', redirectTrailingSlash(app, exists));
  await app.register(restPlugin, {
    document,
    handlers,
    services,
    platform: { contracts, ready: readiness(app, database, shared, told), metrics: () => app.metrics() },
  });
  await app.register(graphqlPlugin, {
    typeDefs: contracts.schemaGraphql.toString(),
    resolvers: application.resolvers,
    services,
    limits: {
      depth: config.GRAPHQL_MAX_DEPTH,
      complexity: config.GRAPHQL_MAX_COMPLEXITY,
      aliases: config.GRAPHQL_MAX_ALIASES,
      directives: GRAPHQL_MAX_DIRECTIVES,
      tokens: config.GRAPHQL_MAX_TOKENS,
      subscribe: config.GRAPHQL_MAX_SUBSCRIBE,
    },
    trusted: config.TRUSTED_DOCUMENTS,
    maxBatch: config.GRAPHQL_MAX_BATCH,
    introspection: config.GRAPHQL_INTROSPECTION ?? !production,
    development: !production,
    title,
    sockets,
    now,
  });
  await app.register(docs, {
    errors: Object.entries(application.errors).map(([code, entry]) => ({ code, ...entry })),
    graphiql: !production,
    title,
  });

  app.decorate('notWritten', [...notWrittenOperations(document, handlers), ...notWrittenFields(application.resolvers)]);
  app.decorate('restEntry', {
    prefixes: versioned.served.map(prefixOf),
    sample: sampleOf(all, versioned.served.at(-1)),
  });
  return app;
}

/** The first address of the newest version that can be read with a name and a password, and without knowing more. */
const sampleOf = (all: Operation[], newest: string | undefined): string | undefined =>
  all.find(
    ({ method, path, security }) =>
      method === 'GET' &&
      placeOf(path)?.version === newest &&
      !path.includes('{') &&
      security.some((alternative) => 'basicAuth' in alternative),
  )?.path;
