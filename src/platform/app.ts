import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import type { Administration } from './accounts/administration.js';
import type { HashParameters } from './accounts/passwords.js';
import type { Application } from './application.js';
import { composeServices } from './composition.js';
import { declaredAnswers, normaliseOpenApi, operations } from './contract/openapi.js';
import { everyVersion, versionsOf } from './contract/versions.js';
import type { Database } from './database/open.js';
import { outages } from './database/outages.js';
import { refused } from './graphql/errors.js';
import { mediaTypeFor } from './graphql/media-type.js';
import { graphqlPlugin, notWrittenFields, PATH } from './graphql/plugin.js';
import { answerHeadersPlugin } from './http/answer-headers.js';
import { authenticatePlugin } from './http/authenticate.js';
import { jsonBodyPlugin } from './http/bodies.js';
import { confidentialPlugin } from './http/confidential.js';
import { crossOrigin, crossOriginPlugin } from './http/cross-origin.js';
import { hostPlugin } from './http/host.js';
import { metricsPlugin } from './http/metrics.js';
import { ownOriginPlugin } from './http/own-origin.js';
import { sendProblem } from './http/problems.js';
import { refusalsPlugin } from './http/refusals.js';
import { routePlugin } from './http/route.js';
import { sessionCookiesPlugin } from './http/session-cookies.js';
import { webSocketPlugin } from './http/websocket.js';
import { ADMISSION, type AdmissionLimits, admissionPlugin } from './limits/admission.js';
import { rateLimitPlugin } from './limits/rate-limit.js';
import { shedding } from './limits/shedding.js';
import type { SocketLimits } from './live/sockets.js';
import { type Names, namesOf, titleOf } from './names.js';
import { docs } from './pages/docs.js';
import { CONTRACT_PATHS, publishedContracts, type ServedContracts } from './pages/published.js';
import { sessionDoors } from './pages/session-bar.js';
import { statusTable } from './pages/status-table.js';
import { pipelinePlugin } from './pipeline.js';
import { type RestEntry, restEntry } from './rest/entry.js';
import { type Handlers, notWrittenOperations, restPlugin } from './rest/plugin.js';
import { restStagesPlugin } from './rest/stages.js';
import { pathTable, unmatchedPlugin } from './rest/unmatched.js';
import { versionPlugin, versionRouting } from './rest/version-plugin.js';
import type { Config } from './server/config.js';
import { httpServer } from './server/http-server.js';
import { readiness } from './server/readiness.js';
import { TIMEOUTS, type Timeouts, timeoutsPlugin } from './server/timeouts.js';
import { upstreamsOf } from './server/upstreams.js';

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
  contracts?: ServedContracts | undefined;
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
    restEntry: RestEntry;
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
  const { production, REDIS_URL } = config;
  const names = namesOf(application.name);
  const title = titleOf(application);
  const handlers = application.handlers as Handlers;
  const timeouts = { ...TIMEOUTS, ...otherTimeouts };
  const contracts = given ?? (await publishedContracts());
  const document = everyVersion(normaliseOpenApi(contracts.openapi));
  const all = operations(document);
  const paths = pathTable(all);
  const served = versionsOf(document);
  const versioned = { served, isResource: (path: string) => paths.at(path) !== undefined, mediaType: names.mediaType };
  const pages = crossOrigin({ origins: config.CORS_ORIGINS, production, open: CONTRACT_PATHS }, document, all);

  const doors = sessionDoors(document, all, names.refreshCookie);
  const people = (!production && application.demo?.people) || [];
  const frame = { title, graphiql: !production, session: doors && { ...doors, people } };

  const app = httpServer(config, { logger, timeouts, rewriteUrl: versionRouting(versioned) });
  app.decorate('names', names);
  app.decorate('policy', application.policy);
  app.decorate('notWritten', [...notWrittenOperations(document, handlers), ...notWrittenFields(application.resolvers)]);
  app.decorate('restEntry', restEntry(all, served));
  app.setErrorHandler(sendProblem);

  const told = outages(app.log);
  const services = await composeServices(app, application, config, database, told, { now, hashing });
  const shared = REDIS_URL
    ? (await import('./limits/rate-shared.js')).sharedWindows(REDIS_URL, names, told.dependency('Redis'))
    : undefined;
  app.addHook('onClose', async () => shared?.close());

  // In the order of what they need of each other; when a request meets their stages, the table of the pipeline says.
  await app.register(pipelinePlugin, { production });
  await app.register(routePlugin);
  await app.register(answerHeadersPlugin);
  await app.register(versionPlugin, versioned);
  await app.register(hostPlugin, { publicUrl: config.PUBLIC_URL });
  await app.register(crossOriginPlugin, { ...pages, publicUrl: config.PUBLIC_URL });
  await app.register(jsonBodyPlugin);
  await app.register(timeoutsPlugin, timeouts);
  await app.register(sessionCookiesPlugin);
  await app.register(confidentialPlugin, {
    production,
    tls: Boolean(config.TLS_CERT),
    proxied: Boolean(config.TRUST_PROXY),
  });
  await app.register(authenticatePlugin, { services });
  await app.register(refusalsPlugin, { services });
  await app.register(ownOriginPlugin, { publicUrl: config.PUBLIC_URL });
  await app.register(webSocketPlugin, {
    path: PATH,
    protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
    closing: timeouts.closing,
  });
  await app.register(rateLimitPlugin, {
    limit: config.RATE_LIMIT,
    anonymous: config.RATE_LIMIT_ANONYMOUS,
    ceiling: config.RATE_CEILING ?? 10 * config.RATE_LIMIT,
    now,
    shared,
  });
  await app.register(admissionPlugin, {
    limits: { ...ADMISSION, ...admission },
    document,
    refuse: shedding({
      graphql: { path: PATH, mediaType: mediaTypeFor, body: refused },
      corsHeaders: pages.headersFor,
      names,
    }),
  });
  await app.register(metricsPlugin, {
    token: config.METRICS_TOKEN,
    proxied: Boolean(config.TRUST_PROXY),
    connections: database.connections,
    told,
  });
  await app.register(unmatchedPlugin, { paths, served });
  await app.register(restStagesPlugin);
  await app.layPipeline();

  await app.register(restPlugin, {
    document,
    handlers,
    services,
    platform: { ready: readiness(app, database, shared, told), metrics: () => app.metrics() },
    contracts,
    publicUrl: config.PUBLIC_URL,
    upstreams: upstreamsOf(application.upstreams ?? {}, config, told),
    errors: application.errors,
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
    frame,
    sockets,
    now,
  });
  await app.register(docs, {
    errors: Object.entries(application.errors).map(([code, entry]) => ({ code, ...entry })),
    statuses: statusTable(declaredAnswers(document, all), application.statuses),
    frame,
    person: (id) => database.client.user.findUnique({ where: { id }, select: { name: true, email: true } }),
  });
  return app;
}
