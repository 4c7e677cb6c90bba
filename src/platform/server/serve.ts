import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { hasher, isCommonPassword } from '../accounts/passwords.js';
import { accountRules, emailKey } from '../accounts/users.js';
import { buildApp } from '../app.js';
import type { Application, DemoPerson } from '../application.js';
import { audit, COMMAND_LINE } from '../audit/audit.js';
import { readAddress } from '../database/address.js';
import type { PrismaClient } from '../database/client.js';
import type { Database } from '../database/open.js';
import { reportIfSlow, retryWhileUnavailable } from '../database/waiting.js';
import { titleOf } from '../names.js';
import { answerCommands } from './admin-socket.js';
import { type Config, ConfigError, inProduction, listenHost, notListening } from './config.js';
import { drainOnClose, type Leave } from './drain.js';
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

/**
 * Makes sure that somebody can log in: creates the first administrator from ADMIN_EMAIL, or else, outside production, the demo in an
 * empty database. Safe to repeat, and on several instances at once.
 * @throws ConfigError for a common password; in production, which refuses demo data and has no default administrator
 */
export async function prepareData(
  { client, exclusively }: Pick<Database, 'client' | 'exclusively'>,
  config: Config,
  { demo, policy, accountActions }: Pick<Application, 'demo' | 'policy' | 'accountActions'>,
): Promise<void> {
  const { production, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  const { administrators } = accountRules(policy, accountActions);
  const exists = async (where: object) => (await client.user.findFirst({ where, select: { id: true } })) !== null;
  const refuse = (problem: string) => new ConfigError(inProduction(config, [problem]).join('\n'));

  async function isPrepared(): Promise<boolean> {
    const emails = demo?.people.map((person) => emailKey(person.email)) ?? [];
    if (production && emails.length > 0 && (await exists({ emailKey: { in: emails } }))) {
      throw refuse('DATABASE_URL: names a database with demo accounts, whose password is public; use another one.');
    }
    return exists({ role: { in: [...administrators] } });
  }
  async function prepare(): Promise<void> {
    if (await isPrepared()) return;
    if (email && password) await createFirstAdmin(client, administrators[0], email, password);
    else if (production) throw refuse('ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet; set both.');
    else if ((await client.user.count()) === 0) await demo?.seed(client);
  }

  // A start that has nothing to write does not wait for the lock, which a long migration may hold.
  if (!(await isPrepared())) await exclusively(prepare);
}

async function createFirstAdmin(client: PrismaClient, role: string, email: string, password: string): Promise<void> {
  if (isCommonPassword(password)) {
    throw new ConfigError('ADMIN_PASSWORD: is one of the passwords that attackers try first; choose another one.');
  }
  const passwordHash = await hasher().hash(password);
  const where = { emailKey: emailKey(email) };
  await client.$transaction(async (db) => {
    const exists = (await db.user.count({ where })) > 0;
    const create = { name: 'Administrator', email, ...where, role, passwordHash };
    const { id } = await db.user.upsert({ where, create, update: { role }, select: { id: true } });
    await audit(db, COMMAND_LINE, exists ? 'role.changed' : 'user.created', `user:${id}`);
  });
}

/** Returns the demo account of the start message; undefined in production, or if its password or address is no longer that. */
export async function demoLogin(
  { client }: Pick<Database, 'client'>,
  { production }: Config,
  { demo }: Pick<Application, 'demo'>,
): Promise<DemoPerson | undefined> {
  const [first] = production || !demo ? [] : demo.people;
  if (first === undefined) return undefined;
  const where = { emailKey: emailKey(first.email) };
  const user = await client.user.findUnique({ where, select: { passwordHash: true } });
  return (await hasher().verify(user?.passwordHash ?? null, first.password)) ? first : undefined;
}
