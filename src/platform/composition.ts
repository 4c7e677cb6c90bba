import type { FastifyInstance } from 'fastify';
import { accountRules } from './accounts/account-rules.js';
import type { Application } from './application.js';
import { faultOf } from './database/faults.js';
import type { Database } from './database/open.js';
import type { Outages } from './database/outages.js';
import { databaseSignals } from './database/signals.js';
import { modelProblems } from './operations/check.js';
import type { Config } from './server/config.js';
import {
  applicationPlatform,
  type ComposedServices,
  handlerServices,
  type PlatformServices,
  platformServices,
  type ServicesOptions,
} from './services.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** For tests, which ask services without a request. */
    platformServices: PlatformServices;
  }
}

/**
 * The services over one database, as the configuration wants them: the platform's and the application's, under one roof. They
 * begin and end with the app.
 */
export async function composeServices(
  app: FastifyInstance,
  application: Application,
  config: Config,
  database: Database,
  told: Outages,
  { now, hashing }: Pick<ServicesOptions, 'now' | 'hashing'>,
): Promise<ComposedServices> {
  const { names } = app;
  const problems = modelProblems(application.policy, application.models ?? []);
  if (problems.length > 0) throw new Error(`The models of the application cannot be used:\n  ${problems.join('\n  ')}`);
  const { streams } = names.signals;
  database.watch(() => told.dependency('The database'));
  /** Unless the reason is one that is told already, for all that fails by it. */
  const tell = (about: object, err: unknown, message: string) => {
    const isTold = told.isAway('The database') && ['unavailable', 'denied', 'timeout'].includes(faultOf(err).kind);
    if (!isTold) app.log.error({ ...about, err }, message);
  };
  const onFault = (err: unknown) => tell({}, err, 'what other instances tell cannot be heard or read');
  const signals = config.REDIS_URL
    ? (await import('./database/redis-signals.js')).redisSignals(config.REDIS_URL, streams, () =>
        told.dependency('Redis'),
      )
    : databaseSignals(database, streams);
  const platform = await platformServices({
    client: database.client,
    listen: database.listen,
    prove: database.prove,
    isHearing: database.isHearing,
    signals,
    onFault,
    algorithm: config.JWT_ALGORITHM,
    jwtSecret: config.JWT_SECRET,
    keySecrets: config.KEY_SECRET ?? [],
    names,
    issuer: config.JWT_ISSUER ?? names.realm,
    audience: config.JWT_AUDIENCE ?? names.realm,
    loginLimit: config.LOGIN_LIMIT,
    production: config.production,
    rules: accountRules(application.policy, application.accountActions),
    environment: config,
    models: application.models ?? [],
    onJobFault: (job, err) => tell({ job }, err, 'a background job failed'),
    onCommitFault: (operation, err) => tell({ operation }, err, 'work after a commit failed'),
    onAuditFault: (err) => tell({}, err, 'a refusal could not be audited'),
    now,
    hashing,
  });
  const own = application.services(applicationPlatform(platform));
  const handlers = handlerServices(platform);
  const [taken] = Object.keys(own).filter((name) => name in handlers);
  if (taken !== undefined) throw new Error(`The application's service "${taken}" has the name of one of the platform.`);
  app.addHook('onReady', async () => platform.jobs.start());
  app.addHook('preClose', platform.jobs.stop);
  app.decorate('administration', platform.administration);
  app.addHook('onClose', () => platform.close());
  app.decorate('platformServices', platform);
  return { ...platform, handlers: { ...handlers, ...own } };
}
