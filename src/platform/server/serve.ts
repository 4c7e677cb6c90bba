import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.js';
import type { Application } from '../application.js';
import { readAddress } from '../database/address.js';
import type { Database } from '../database/open.js';
import { patiently, telling } from '../database/patience.js';
import { titleOf } from '../names.js';
import { answerCommands } from './admin-socket.js';
import { announce } from './announce.js';
import type { Config } from './config.js';
import { drainOnClose, type Leave } from './drain.js';
import { demoLogin, prepareData } from './first-start.js';
import { whenShellGone } from './npm-shell.js';
import { listenHost, notListening } from './port.js';

/** Milliseconds that running requests get once the process is asked to stop. */
const GRACE = 10_000;
/** Milliseconds within which a second signal is an echo: npm passes a Ctrl-C on that the terminal has sent already. */
const ECHO = 500;

/**
 * Serves until the process is asked to stop, and then closes the database. Rejects when it cannot begin; the database is
 * then the caller's to close.
 */
export async function serve(application: Application, config: Config, database: Database): Promise<void> {
  const { demo, app } = await telling('Still reading what is in the database.', async () => {
    await patiently(() => prepareData(database, config, application));
    // A password is hashed on another core.
    const [demo, app] = await Promise.all([
      patiently(() => demoLogin(database, config, application)),
      buildApp(application, config, { database, logger: await logger(config) }),
    ]);
    return { demo, app };
  });
  app.addHook('onClose', () => database.close());
  const leave = drainOnClose(app);
  const stored = readAddress(config.DATABASE_URL);
  if (stored.kind === 'embedded' && stored.directory) await answerCommands(app, stored.directory);
  stopOnSignal(app, leave, config.DRAIN_DELAY);
  const url = await app.listen({ port: config.PORT, host: listenHost(config) }).catch((error: unknown) => {
    throw notListening(error, config);
  });
  announce({ title: titleOf(application), config, database, address: url, demo, app });
}

/** JSON for machines; lines to read on a terminal. */
async function logger({ LOG_LEVEL: level }: Config) {
  if (!process.stdout.isTTY) return { level };
  // A development dependency: who is on a terminal without it reads JSON.
  const pretty = await import('pino-pretty').then(
    (module) => module.default,
    () => undefined,
  );
  return pretty === undefined ? { level } : { level, stream: pretty({ sync: true, ignore: 'pid,hostname' }) };
}

/**
 * The first signal closes in good order, the next one ends the process at once.
 * @param drainDelay milliseconds in which requests are still taken, while `/readyz` tells balancers to send no more
 */
function stopOnSignal(app: FastifyInstance, leave: Leave, drainDelay: number): void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const options = { delay: drainDelay + GRACE, logger: app.log, skip: [...signals] };
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after a fault');
    await leave(err ? 0 : drainDelay);
    await app.close();
  });
  let asked: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked !== undefined && performance.now() - asked < ECHO) return;
    app.log.info({ signal }, asked === undefined ? 'stopping' : 'stopping at once');
    if (asked !== undefined) process.exit(1);
    asked = performance.now();
    close();
  };
  for (const signal of signals) process.on(signal, onSignal);
  whenShellGone(process.env, () => onSignal('SIGTERM'));
}
