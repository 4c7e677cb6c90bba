import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { AnyPart, Application, OpenedPart, Overrides, Setting } from '../core/application.js';
import { addressReader } from '../core/calls/networks.js';
import { expandVersions, normaliseOpenApi, operations, versionsOf } from '../core/contract/openapi.js';
import { platformOperations } from '../core/contract/part-operations.js';
import { hasQueries, publishedContracts, type ServedContracts } from '../core/contract/published.js';
import type { EngineStage } from '../core/graphql/engine.js';
import { bodyStage } from '../core/http/bodies.js';
import { authentication, callMaker, contentStage } from '../core/http/call.js';
import { sendProblem } from '../core/http/failures.js';
import { commonStages } from '../core/http/stages.js';
import { refuseMissingNeeds, refuseMissingParts } from '../core/marks.js';
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
import { dataModel } from '../database/client.js';
import { isOutage } from '../database/faults.js';
import { GENERATION_CHANNEL } from '../database/generation.js';
import type { Database } from '../database/open.js';
import { type Outages, outageLog } from '../database/outages.js';
import type { Administration } from '../parts/identity/keys/administration.js';
import { httpServer, TIMEOUTS_MS, type Timeouts } from './http-server.js';
import { type PlatformServices, platformServices } from './services.js';
import { timeoutStages } from './timeouts.js';

/** The optional properties override defaults. */
export interface AppOptions extends Overrides {
  database: Database;
  logger: NonNullable<FastifyServerOptions['logger']>;
  now?: () => number;
  timeouts?: Partial<Timeouts>;
  contracts?: ServedContracts | undefined;
  /** Instead of stages of the table, for tests. */
  stages?: Stages | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The operations and fields with the marker `notWritten`. */
    notWritten: string[];
    restEntry: RestEntry;
    /** The commands of an operator. */
    administration: Administration;
    /** For tests. */
    platformServices: PlatformServices;
    /** Makes `/readyz` fail from now on, because the service is about to stop. */
    unready: () => void;
  }
}

const GRAPHQL_MAX_DIRECTIVES = 50;
/** Milliseconds between two samples of the database's clock. */
const CLOCK_INTERVAL_MS = 10_000;

/** Returns the parts of an application: by default all. */
export const partsOf = async ({ parts }: Pick<Application, 'parts'>): Promise<readonly AnyPart[]> =>
  parts ?? (await import('./all-parts.js')).allParts;

export const loadGraphql = () => import('../core/graphql/plugin.js');

/** Builds the Fastify instance of an application. The instance does not listen yet. */
export async function buildApp(
  application: Application,
  config: Config,
  options: AppOptions,
): Promise<FastifyInstance> {
  const {
    database,
    logger,
    now = database.clock.now,
    contracts = await publishedContracts(),
    timeouts: otherTimeouts,
    stages: instead,
    ...overrides
  } = options;
  const { production } = config;
  const names = namesOf(application.name);
  titleOf(application);
  const handlers = application.handlers as Handlers;
  const timeouts = { ...TIMEOUTS_MS, ...otherTimeouts };
  const document = expandVersions(normaliseOpenApi(contracts.openapi));
  const all = operations(document);
  const versions = versionsOf(document);
  const paths = pathTable(all);
  const routes = sessionPaths(document, all, names.refreshCookie);
  const sdl = contracts.schemaGraphql.toString();
  const parts = await partsOf(application);
  refuseMissingParts(parts, { document, operations: all, sdl }, config);
  refuseMissingNeeds(parts, application.errors, dataModel);
  const graphql = hasQueries(sdl) ? await loadGraphql() : undefined;

  const app = httpServer(config, { logger, timeouts, rewriteUrl: (raw) => app.core.seams.versions.urlOf(raw) });
  app.decorate('notWritten', [
    ...notWrittenOperations(all, handlers),
    ...(graphql?.notWrittenFields(application.resolvers) ?? []),
  ]);
  app.decorate('restEntry', restEntry(all, versions));
  const outages = outageLog(app.log);
  database.watch(() => outages.dependency('The database'));
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
    seams: { ...WITHOUT_PARTS },
    ...authentication(app, common.requireHttps),
    requireHttps: common.requireHttps,
  };
  app.decorate('core', core);
  app.setErrorHandler(sendProblem);
  const report = reporter(app, outages);
  await watchDatabase(app, database, report);

  const opened: OpenedPart[] = [];
  const setting: Setting = {
    ...{ app, core, application, config, database, outages, now, document, operations: all, paths, addressOf },
    served: versions,
    secrets: config.KEY_SECRET ?? ['development'],
    report,
    reportSignalFault: (error) => report({}, error, 'signals of other instances cannot be received or read'),
    closing: timeouts.closing,
    overrides,
    metrics: () => Object.assign({}, ...opened.map((part) => part.metrics)),
  };
  const stages: Stages = {};
  for (const part of parts) {
    const one = await part.open(setting);
    opened.push(one);
    Object.assign(core.seams, { [part.name]: one.seam });
    Object.assign(stages, one.stages);
  }
  const answers = Object.assign({}, ...opened.map((part) => part.operations));
  const ofParts = Object.fromEntries([...platformOperations(document)].map((name) => [name, answers[name]]));
  const services = await platformServices(application, setting, opened);
  const jobs = opened.flatMap((part) => part.jobs ?? []);
  if (parts.some(({ name }) => name === 'jobs')) core.seams.jobs.add(jobs);
  else if (jobs.length > 0)
    app.log.warn(
      { jobs: jobs.map(({ name }) => name) },
      'without the part jobs, this instance does no background work',
    );
  app.decorate('administration', Object.assign({}, ...opened.map((part) => part.commands)));
  app.decorate('platformServices', services);

  const addresses = addressStages(app, { operations: all, paths, served: versions });
  const own: Omit<StagesOf<'core'>, EngineStage> = {
    ...operationStages,
    ...contentStage,
    ...common.stages,
    ...bodyStage(app),
    ...timeoutStages(app, timeouts),
    ...restStages(app),
    ...addresses.stages,
  };
  Object.assign(services.operations.stages, stages, own, instead);
  const { answerOthers } = addresses;
  await registerStages(app, services.operations.stages, { production, answerOthers });
  const callOf = callMaker(wayOf(services.operations.stages, 'before write', { on: 'REST' }));
  const served = { ...services, callOf };

  await mountRest(app, {
    document,
    handlers,
    ofParts,
    services: served,
    platform: {
      ready: readiness(app, database, opened),
      metrics: core.seams.observability.metrics,
    },
    contracts,
  });
  await graphql?.mountGraphql(app, {
    typeDefs: sdl,
    resolvers: application.resolvers,
    ofParts,
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
    costUnderWay: overrides.costUnderWay,
  });
  for (const { mount } of opened) await mount?.();
  return app;
}

function reporter(app: FastifyInstance, outages: Outages): Setting['report'] {
  app.addHook('onClose', async () => outages.flush());
  return (about, err, message) => {
    const write = () => app.log.error(Object.assign({}, about, { err }), message);
    if (isOutage(err)) outages.unlessAway('The database', write);
    else write();
  };
}

/** Follows the generation and the clock of the database. */
async function watchDatabase(
  app: FastifyInstance,
  { listen, generation, clock }: Database,
  report: Setting['report'],
): Promise<void> {
  const read = () =>
    void generation.read().catch((error) => report({}, error, 'the generation of the database could not be read'));
  await listen(GENERATION_CHANNEL, read, read);
  const check = () =>
    void clock.check(app.log).catch((error) => report({}, error, 'the clock of the database could not be read'));
  let checking: NodeJS.Timeout | undefined;
  app.addHook('onReady', async () => {
    check();
    checking = setInterval(check, CLOCK_INTERVAL_MS).unref();
  });
  app.addHook('onClose', async () => clearInterval(checking));
}

/** @param login the path of the operation that logs in; undefined if the contract has none */
const loginHint = (login: string | undefined): string =>
  `${login === undefined ? 'Get' : `Log in with POST ${login} for`} a token, and send it as \`Authorization: Bearer <token>\`.`;

/**
 * Returns the check for `/readyz`, with the checks of parts. Without a usable database and during shutdown the service is not ready. With a
 * wrong clock it is degraded.
 */
function readiness(
  app: FastifyInstance,
  { client, clock, failing, isReadOnly }: Database,
  opened: readonly OpenedPart[],
) {
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
    const [isDatabaseUp, reason, ...ofParts] = await Promise.all([
      database,
      failing(),
      ...opened.map((part) => part.ready?.()),
    ]);
    if (reason === undefined && reported !== undefined) app.log.info('Statements succeed again.');
    else if (reason !== reported) app.log.error(`Not ready, because statements fail for every caller: ${reason}`);
    reported = reason;
    const needed = { database: isDatabaseUp && reason === undefined, accepting: !closing };
    const checks: Readiness['checks'] = {};
    for (const [name, isOk] of Object.entries(needed)) checks[name] = isOk ? 'ok' : 'failed';
    if (isReadOnly()) checks['databaseWritable'] = 'failed';
    checks['clock'] = clock.isFar() ? 'degraded' : 'ok';
    Object.assign(checks, ...ofParts);
    const states = Object.values(checks);
    const status = states.includes('failed') ? 'unavailable' : states.includes('degraded') ? 'degraded' : 'ok';
    return { status, checks };
  };
}
