import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Application, Setting } from '../core/application.js';
import { addressReader } from '../core/calls/networks.js';
import { expandVersions, normaliseOpenApi, operations, versionsOf } from '../core/contract/openapi.js';
import { publishedContracts, type ServedContracts } from '../core/contract/published.js';
import type { EngineStage } from '../core/graphql/engine.js';
import { mountGraphql, notWrittenFields } from '../core/graphql/plugin.js';
import { bodyStage } from '../core/http/bodies.js';
import { authentication, callMaker, contentStage } from '../core/http/call.js';
import { sendProblem } from '../core/http/failures.js';
import { commonStages } from '../core/http/stages.js';
import { refuseMissingParts } from '../core/marks.js';
import { namesOf, titleOf } from '../core/names.js';
import { operationStages } from '../core/operations/operation-stages.js';
import { type Core, WITHOUT_PARTS } from '../core/part.js';
import { addressStages, pathTable } from '../core/rest/addresses.js';
import { restStages } from '../core/rest/plan.js';
import { type Handlers, mountRest, notWrittenOperations, type RestEntry, restEntry } from '../core/rest/plugin.js';
import type { Readiness } from '../core/rest/routes.js';
import { sessionPaths } from '../core/rest/session-paths.js';
import type { StagesOf } from '../core/stages.js';
import type { Config } from '../core/variables.js';
import { registerStages, type Stages, wayOf } from '../core/way.js';
import type { Database } from '../database/open.js';
import { type Outages, outageLog } from '../database/outages.js';
import type { HashParameters } from '../parts/identity/accounts/passwords.js';
import type { Administration } from '../parts/identity/keys/administration.js';
import type { AdmissionLimits, AnswerLimits } from '../parts/limits/index.js';
import type { SocketLimits } from '../parts/live/index.js';
import { httpServer, TIMEOUTS_MS, type Timeouts } from './http-server.js';
import { type PlatformServices, platformServices } from './services.js';
import { timeoutStages } from './timeouts.js';

/** The optional properties override defaults. */
export interface AppOptions {
  database: Database;
  logger: NonNullable<FastifyServerOptions['logger']>;
  now?: () => number;
  admission?: Partial<AdmissionLimits>;
  answers?: Partial<AnswerLimits>;
  timeouts?: Partial<Timeouts>;
  contracts?: ServedContracts | undefined;
  sockets?: Partial<SocketLimits>;
  hashing?: HashParameters | undefined;
  /** Instead of stages of the table, for tests. */
  stages?: Stages | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The operations and fields with the marker `notWritten`. */
    notWritten: string[];
    restEntry: RestEntry;
    administration: Administration;
    /** For tests. */
    platformServices: PlatformServices;
    /** Makes `/readyz` fail from now on, because the service is about to stop. */
    unready: () => void;
  }
}

const GRAPHQL_MAX_DIRECTIVES = 50;

/** Builds the Fastify instance of an application. The instance does not listen yet. */
export async function buildApp(
  application: Application,
  config: Config,
  {
    database,
    logger,
    now = database.clock.now,
    admission,
    answers,
    timeouts: timeoutOverrides,
    contracts: servedContracts,
    sockets,
    hashing,
    stages: instead,
  }: AppOptions,
): Promise<FastifyInstance> {
  const { production } = config;
  const names = namesOf(application.name);
  titleOf(application);
  const handlers = application.handlers as Handlers;
  const timeouts = { ...TIMEOUTS_MS, ...timeoutOverrides };
  const contracts = servedContracts ?? (await publishedContracts());
  const document = expandVersions(normaliseOpenApi(contracts.openapi));
  const all = operations(document);
  const versions = versionsOf(document);
  const paths = pathTable(all);
  const routes = sessionPaths(document, all, names.refreshCookie);

  const app = httpServer(config, { logger, timeouts, rewriteUrl: (raw) => app.core.seams.versions.urlOf(raw) });
  app.decorate('notWritten', [...notWrittenOperations(all, handlers), ...notWrittenFields(application.resolvers)]);
  app.decorate('restEntry', restEntry(all, versions));

  const outages = outageLog(app.log);
  const services = await platformServices(application, config, {
    database,
    names,
    outages,
    log: app.log,
    now,
    hashing,
  });
  app.addHook('onReady', async () => services.jobs.start());
  app.addHook('preClose', services.jobs.stop);
  app.addHook('onClose', () => services.close());
  app.decorate('administration', services.administration);
  app.decorate('platformServices', services);
  const addressOf = addressReader(config.TRUST_PROXY);
  const common = commonStages(app, {
    production,
    tls: Boolean(config.TLS_CERT),
    proxied: Boolean(config.TRUST_PROXY),
    addressOf,
  });
  const core: Core = {
    names,
    policy: application.policy,
    publicOrigin: config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL).origin,
    sessionPaths: routes,
    loginHint: loginHint(routes?.login),
    seams: { ...WITHOUT_PARTS, identity: services.seam },
    ...authentication(app, common.requireHttps),
    requireHttps: common.requireHttps,
  };
  app.decorate('core', core);
  app.setErrorHandler(sendProblem);

  const own: Omit<StagesOf<'core'>, EngineStage> = {
    ...operationStages,
    ...contentStage,
    ...common.stages,
    ...bodyStage(app),
    ...timeoutStages(app, timeouts),
    ...restStages(app),
    ...addressStages(app, { operations: all, paths, served: versions }),
  };
  const stages: Stages = Object.assign(services.operations.stages, own, services.stages);
  const setting: Setting = {
    ...{ app, core, application, config, database, outages, now, document, operations: all, paths, addressOf },
    served: versions,
    hashes: services.hashes,
    closing: timeouts.closing,
    overrides: { admission, answers },
  };
  const mounts: (() => Promise<void>)[] = [];
  const parts = application.parts ?? (await import('./all-parts.js')).allParts;
  refuseMissingParts(parts, { document, operations: all, sdl: contracts.schemaGraphql.toString() });
  for (const part of parts) {
    const opened = await part.open(setting);
    if ('seam' in opened) Object.assign(core.seams, { [part.name]: opened.seam });
    Object.assign(stages, opened.stages);
    if (opened.mount) mounts.push(opened.mount);
  }
  await registerStages(app, Object.assign(stages, instead), production);
  const served = { ...services, callOf: callMaker(wayOf(stages, 'before write', { on: 'REST' })) };

  await mountRest(app, {
    document,
    handlers,
    services: served,
    platform: {
      ready: readiness(app, database, outages),
      metrics: core.seams.observability.metrics,
    },
    contracts,
  });
  await mountGraphql(app, {
    typeDefs: contracts.schemaGraphql.toString(),
    resolvers: application.resolvers,
    services: served,
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
    sockets: { ping: config.WEBSOCKET_PING, ...sockets },
    onReplaced: services.onReplaced,
    now,
  });
  for (const mount of mounts) await mount();
  return app;
}

/** @param login the path of the operation that logs in; undefined if the contract has none */
const loginHint = (login: string | undefined): string =>
  `${login === undefined ? 'Get' : `Log in with POST ${login} for`} a token, and send it as \`Authorization: Bearer <token>\`.`;

/**
 * Returns the check for `/readyz`. Without a usable database and during shutdown the service is not ready. Without Redis, with a wrong clock and
 * while it sheds load it is degraded: without an overloaded instance, the others would get its load.
 */
function readiness(app: FastifyInstance, { client, clock, failing, isReadOnly }: Database, outages: Outages) {
  let closing = false;
  let reported: string | undefined;
  app.decorate('unready', () => {
    closing = true;
  });
  app.addHook('preClose', async () => app.unready());
  return async (): Promise<Readiness> => {
    const database = client.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    const [isDatabaseUp, reason, isRedisUp] = await Promise.all([
      database,
      failing(),
      app.core.seams.limits.isSharedReachable?.(),
    ]);
    if (reason === undefined && reported !== undefined) app.log.info('Statements succeed again.');
    else if (reason !== reported) app.log.error(`Not ready, because statements fail for every caller: ${reason}`);
    reported = reason;
    const needed = { database: isDatabaseUp && reason === undefined, accepting: !closing };
    const checks: Readiness['checks'] = {};
    for (const [name, isOk] of Object.entries(needed)) checks[name] = isOk ? 'ok' : 'failed';
    if (isReadOnly()) checks['databaseWritable'] = 'failed';
    checks['load'] = app.core.seams.limits.places.overloaded() ? 'degraded' : 'ok';
    checks['clock'] = clock.isFar() ? 'degraded' : 'ok';
    if (isRedisUp !== undefined) checks['redis'] = isRedisUp && !outages.isAway('Redis') ? 'ok' : 'degraded';
    const states = Object.values(checks);
    const status = states.includes('failed') ? 'unavailable' : states.includes('degraded') ? 'degraded' : 'ok';
    return { status, checks };
  };
}
