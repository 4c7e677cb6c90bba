import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { answerCommands } from './admin-socket.js';
import { announce } from './announce.js';
import { buildApp } from './app.js';
import { type Config, ConfigError } from './config.js';
import { readAddress } from './database/address.js';
import type { Database } from './database/open.js';
import { prepareData } from './first-start.js';
import { PRESSURE } from './http/pressure.js';
import { dropSilentConnections } from './http/silent-connections.js';
import { whenShellGone } from './npm-shell.js';

/** Milliseconds that running requests get once the process is asked to stop. */
const GRACE = 10_000;
/** Milliseconds within which a second signal is an echo: npm passes a Ctrl-C on that the terminal has sent already. */
const ECHO = 500;

/**
 * Serves until the process is asked to stop, and then closes the database. Rejects when it cannot begin; the database is
 * then the caller's to close.
 */
export async function serve(config: Config, database: Database): Promise<void> {
  const demo = await prepareData(database.client, config);
  const app = await buildApp(config, { database, logger: await logger(config), pressure: PRESSURE });
  app.addHook('onClose', () => database.close());
  dropSilentConnections(app);
  const stored = readAddress(config.DATABASE_URL);
  if (stored.kind === 'embedded' && stored.directory) await answerCommands(app, stored.directory);
  stopOnSignal(app);
  // One address: of a second listener, for ::1, Fastify would cut the running requests off when it closes.
  const host = config.HOST === 'localhost' ? '127.0.0.1' : config.HOST;
  const url = await app.listen({ port: config.PORT, host }).catch((error: unknown) => {
    throw notListening(error, config);
  });
  announce({ config, database, address: url, demo, notWritten: app.notWritten });
}

/** JSON for machines; lines to read on a terminal. */
async function logger({ LOG_LEVEL: level }: Config) {
  if (!process.stdout.isTTY) return { level };
  const { default: pretty } = await import('pino-pretty');
  return { level, stream: pretty({ sync: true, ignore: 'pid,hostname' }) };
}

/** The first signal closes in good order, the next one ends the process at once. */
function stopOnSignal(app: FastifyInstance): void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const { close } = closeWithGrace({ delay: GRACE, logger: app.log, skip: [...signals] }, async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after a fault');
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

/** What the operator set wrong, by the name of the variable. */
function notListening(error: unknown, { PORT, HOST }: Config): unknown {
  const problems: Record<string, string> = {
    EADDRINUSE: `PORT: something listens on ${PORT} already; stop it, or set another one (0 takes a free one).`,
    EACCES: `PORT: this process may not listen on ${PORT}.`,
    EADDRNOTAVAIL: `HOST: ${HOST} is not an address of this machine.`,
    ENOTFOUND: `HOST: ${HOST} is not known.`,
  };
  const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new ConfigError(problem, { cause: error }) : error;
}
