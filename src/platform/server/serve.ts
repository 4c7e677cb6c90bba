import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import type { AnyPart, Application, DemoPerson, Preparing } from '../core/application.js';
import type { Config } from '../core/variables.js';
import { readAddress } from '../database/address.js';
import { reportIfSlow, retryWhileUnavailable } from '../database/faults.js';
import type { Database } from '../database/open.js';
import { buildApp, loadGraphql, partsOf } from './app.js';
import { ConfigError, inProduction, listenHost, notListening } from './config.js';
import { drainOnClose, type StopAccepting } from './drain.js';
import { whenShellGone } from './npm-shell.js';
import { probeServer } from './probes.js';

/** Loads modules before the database is open that `buildApp` needs. */
export const preload = (application: Application): Promise<unknown> =>
  Promise.all([partsOf(application), Object.keys(application.resolvers).length > 0 && loadGraphql()]);

/** Milliseconds for running requests after the signal to stop. */
const GRACE_MS = 10_000;
/** Milliseconds within which a second signal is ignored: npm repeats the Ctrl-C of the terminal. */
const ECHO_MS = 500;

/**
 * Serves until the process is asked to stop, and closes the database. If it rejects, the caller closes it. Resolves when the
 * service listens, to its address and the demo login.
 */
export async function serve(application: Application, config: Config, database: Database) {
  const { demo, app } = await reportIfSlow('Still reading what is in the database.', async () => {
    const parts = await partsOf(application);
    const given = { application, config, database };
    await retryWhileUnavailable(() => prepareData(parts, given));
    // Hashes a password on another core meanwhile.
    const [demo, app] = await Promise.all([
      retryWhileUnavailable(() => printedLogin(parts, given)),
      buildApp(application, config, { database, logger: await logger(config) }),
    ]);
    return { demo, app };
  });
  if (database.route !== undefined) app.log.info(database.route);
  if (database.unknownMigrations.length > 0) {
    const migrations = database.unknownMigrations;
    app.log.warn(
      { migrations },
      'a newer version has migrated the database; unless an update runs, install that version',
    );
  }
  const answerProbes = probeServer(app, config);
  const stopAccepting = drainOnClose(app);
  const stored = readAddress(config.DATABASE_URL);
  if (stored.kind === 'embedded' && stored.directory)
    await (await import('./admin-socket.js')).answerCommands(app, stored.directory);
  stopOnSignal(app, database, stopAccepting, config.DRAIN_DELAY);
  const address = await app.listen({ port: config.PORT, host: listenHost(config) }).catch((error: unknown) => {
    throw notListening(error, config);
  });
  await answerProbes?.();
  return { address, demo, app };
}

/** The members of a line about a request that its text on a terminal shows. */
const SHOWN_FIRST = ['method', 'transport', 'route', 'operation', 'status', 'code'];

async function logger({ LOG_LEVEL: level }: Config) {
  if (!process.stdout.isTTY) return { level };
  // A development dependency. Without it the log is JSON.
  const pretty = await import('pino-pretty').then(
    (module) => module.default,
    () => undefined,
  );
  const messageFormat = (line: Record<string, unknown>, message: string) =>
    [
      line[message],
      ...SHOWN_FIRST.flatMap((name) => line[name] ?? []),
      ...(line['ms'] ? [`${line['ms']} ms`] : []),
    ].join(' ');
  const ignore = ['pid', 'hostname', 'ms', 'caller', 'requestId', 'traceId', ...SHOWN_FIRST].join();
  return pretty === undefined ? { level } : { level, stream: pretty({ sync: true, ignore, messageFormat }) };
}

/** Closes at the first signal, and ends the process at the second one. */
function stopOnSignal(
  app: FastifyInstance,
  database: Database,
  stopAccepting: StopAccepting,
  drainDelay: number,
): void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const options = { delay: drainDelay + GRACE_MS, logger: app.log, skip: [...signals] };
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after a fault');
    await stopAccepting(err ? 0 : drainDelay);
    await app.close();
    await database.close();
  });
  let asked: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked !== undefined && performance.now() - asked < ECHO_MS) return;
    app.log.info({ signal }, asked === undefined ? 'stopping' : 'stopping at once');
    if (asked !== undefined) process.exit(1);
    asked = performance.now();
    close();
  };
  for (const signal of signals) process.on(signal, onSignal);
  whenShellGone(process.env, () => onSignal('SIGTERM'));
}

/** Lets the parts prepare the database. @throws ConfigError for what the operator must correct */
export async function prepareData(parts: readonly AnyPart[], given: Preparing): Promise<void> {
  const { config } = given;
  for (const { prepare } of parts) {
    const problem = await prepare?.(given);
    if (problem !== undefined)
      throw new ConfigError((config.production ? inProduction(config, [problem]) : [problem]).join('\n'));
  }
}

/** Returns the login that the start prints. */
export async function printedLogin(parts: readonly AnyPart[], given: Preparing): Promise<DemoPerson | undefined> {
  const logins = await Promise.all(parts.map((part) => part.demoLogin?.(given)));
  return logins.find((login) => login !== undefined);
}
