import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.js';
import type { Application, DemoPerson } from '../application.js';
import { readAddress } from '../database/address.js';
import type { Database } from '../database/open.js';
import { reportIfSlow, retryWhileUnavailable } from '../database/waiting.js';
import { titleOf } from '../names.js';
import { answerCommands } from './admin-socket.js';
import { type Config, listenHost, notListening } from './config.js';
import { drainOnClose, type Leave } from './drain.js';
import { demoLogin, prepareData } from './first-start.js';
import { whenShellGone } from './npm-shell.js';

/** Milliseconds for running requests once the process is asked to stop. */
const GRACE = 10_000;
/** Milliseconds within which a second signal is an echo: npm repeats a Ctrl-C that the terminal has sent already. */
const ECHO = 500;

/** Serves until the process is asked to stop, and then closes the database. If it rejects, the caller closes the database. */
export async function serve(application: Application, config: Config, database: Database): Promise<void> {
  const { demo, app } = await reportIfSlow('Still reading what is in the database.', async () => {
    await retryWhileUnavailable(() => prepareData(database, config, application));
    // Runs beside the other, because a password is hashed on another core.
    const [demo, app] = await Promise.all([
      retryWhileUnavailable(() => demoLogin(database, config, application)),
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

interface Announcement {
  title: string;
  config: Config;
  database: Pick<Database, 'label' | 'migrated'>;
  /** The URL on which the service listens. */
  address: string;
  demo: DemoPerson | undefined;
  app: Pick<FastifyInstance, 'notWritten' | 'restEntry'>;
}

/** Prints the addresses and the demo login. */
export function announce({ title, config, database, address, demo, app }: Announcement): void {
  const { notWritten, restEntry } = app;
  const url =
    config.PUBLIC_URL?.replace(/(?<!\/)\/+$/, '') ?? address.replace(/\/\/(127\.0\.0\.1|\[::1\])(?=:)/, '//localhost');
  const lines = [
    '',
    `  ${title} is ready.`,
    '',
    `  Database   ${database.label}${database.migrated.length > 0 ? ` (migrated: ${database.migrated.join(', ')})` : ''}`,
    `  REST       ${restEntry.prefixes.map((prefix) => url + prefix).join('  ')}`,
    `  GraphQL    ${url}/graphql`,
    `  Docs       ${url}/docs`,
    `  Contracts  ${url}/openapi.yaml  ${url}/schema.graphql`,
  ];
  if (demo) {
    lines.push('', `  Demo login ${demo.email} / ${demo.password}`);
    if (restEntry.sample) lines.push(`  Try it     curl -u '${demo.email}:${demo.password}' ${url}${restEntry.sample}`);
  }
  if (notWritten.length > 0) lines.push('', `  Not written yet (501): ${notWritten.join(', ')}`);
  console.log(`${lines.join('\n')}\n`);
}

/** Returns a logger that writes JSON, or readable lines on a terminal. */
async function logger({ LOG_LEVEL: level }: Config) {
  if (!process.stdout.isTTY) return { level };
  // A development dependency: an installation without it logs JSON.
  const pretty = await import('pino-pretty').then(
    (module) => module.default,
    () => undefined,
  );
  return pretty === undefined ? { level } : { level, stream: pretty({ sync: true, ignore: 'pid,hostname' }) };
}

/**
 * Closes at the first signal, and ends the process at the next one.
 * @param drainDelay milliseconds for which requests are still taken, while `/readyz` tells balancers to send no more
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
