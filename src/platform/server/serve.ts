import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import type { Application, DemoPerson } from '../core/application.js';
import { isCommonPassword } from '../core/http/common-passwords.js';
import type { Config } from '../core/variables.js';
import { readAddress } from '../database/address.js';
import type { PrismaClient } from '../database/client.js';
import { reportIfSlow, retryWhileUnavailable } from '../database/faults.js';
import type { Database } from '../database/open.js';
import { hasher } from '../parts/identity/accounts/passwords.js';
import { accountRules, emailKey } from '../parts/identity/accounts/users.js';
import { audit, COMMAND_LINE } from '../parts/identity/audit/audit.js';
import { answerCommands } from './admin-socket.js';
import { buildApp } from './app.js';
import { ConfigError, inProduction, listenHost, notListening } from './config.js';
import { drainOnClose, type StopAccepting } from './drain.js';
import { whenShellGone } from './npm-shell.js';

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
    await retryWhileUnavailable(() => prepareData(database, config, application));
    // Hashes a password on another core meanwhile.
    const [demo, app] = await Promise.all([
      retryWhileUnavailable(() => demoLogin(database, config, application)),
      buildApp(application, config, { database, logger: await logger(config) }),
    ]);
    return { demo, app };
  });
  app.addHook('onClose', () => database.close());
  if (database.route !== undefined) app.log.info(database.route);
  if (database.unknownMigrations.length > 0) {
    const migrations = database.unknownMigrations;
    app.log.warn(
      { migrations },
      'a newer version has migrated the database; unless an update runs, install that version',
    );
  }
  const stopAccepting = drainOnClose(app);
  const stored = readAddress(config.DATABASE_URL);
  if (stored.kind === 'embedded' && stored.directory) await answerCommands(app, stored.directory);
  stopOnSignal(app, stopAccepting, config.DRAIN_DELAY);
  const address = await app.listen({ port: config.PORT, host: listenHost(config) }).catch((error: unknown) => {
    throw notListening(error, config);
  });
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
function stopOnSignal(app: FastifyInstance, stopAccepting: StopAccepting, drainDelay: number): void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const options = { delay: drainDelay + GRACE_MS, logger: app.log, skip: [...signals] };
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after a fault');
    await stopAccepting(err ? 0 : drainDelay);
    await app.close();
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

/** Creates the first administrator, or the demo outside production. Idempotent, on several instances too. */
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

  // Does not wait for the lock without need, because a long migration may hold it.
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

/** Returns the demo account, unless its password or address was changed. */
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
