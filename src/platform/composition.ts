import type { FastifyInstance } from 'fastify';
import { embeddedGateway } from '../application/services/payments/embedded.js';
import { httpGateway } from '../application/services/payments/http.js';
import { faultOf } from './database/faults.js';
import type { Database } from './database/open.js';
import type { Outages } from './database/outages.js';
import { databaseSignals } from './database/signals.js';
import type { Config } from './server/config.js';
import { buildServices, type Services } from './services.js';

/** The name under which instances signal each other that a message was added. */
const MESSAGES = 'accord_messages';

/** Production settles nothing by a pretence. */
function paymentGateway({ production, PAYMENT_URL: url, PAYMENT_TIMEOUT: timeout }: Config) {
  if (url) return httpGateway({ url, timeout });
  return production ? undefined : embeddedGateway;
}

/** The services over one database, as the configuration wants them; they begin and end with the app. */
export async function composeServices(
  app: FastifyInstance,
  config: Config,
  database: Database,
  told: Outages,
  now: () => number,
): Promise<Services> {
  database.watch(() => told.dependency('The database'));
  /** Unless the reason is one that is told already, for all that fails by it. */
  const tell = (about: object, err: unknown, message: string) => {
    const isTold = told.isAway('The database') && ['unavailable', 'denied', 'timeout'].includes(faultOf(err).kind);
    if (!isTold) app.log.error({ ...about, err }, message);
  };
  const onFault = (err: unknown) => tell({}, err, 'what other instances tell cannot be heard or read');
  const signals = config.REDIS_URL
    ? (await import('./database/redis-signals.js')).redisSignals(config.REDIS_URL, MESSAGES, () =>
        told.dependency('Redis'),
      )
    : databaseSignals(database, MESSAGES);
  const services = await buildServices({
    client: database.client,
    listen: database.listen,
    prove: database.prove,
    signals,
    onFault,
    algorithm: config.JWT_ALGORITHM,
    jwtSecret: config.JWT_SECRET,
    keySecrets: config.KEY_SECRET ?? [],
    issuer: config.JWT_ISSUER,
    audience: config.JWT_AUDIENCE,
    loginLimit: config.LOGIN_LIMIT,
    gateway: paymentGateway(config),
    onJobFault: (job, err) => tell({ job }, err, 'a background job failed'),
    onAuditFault: (err) => tell({}, err, 'a refusal could not be audited'),
    now,
  });
  app.addHook('onReady', async () => services.jobs.start());
  app.addHook('preClose', services.jobs.stop);
  app.decorate('administration', services.administration);
  app.addHook('onClose', async () => services.close());
  app.addHook('onClose', () => services.channels.close());
  return services;
}
