import { type AccountRules, accountRules } from '../accounts/account-rules.js';
import { isCommonPassword } from '../accounts/common-passwords.js';
import { createFirstAdmin, hasAdmin } from '../accounts/first-admin.js';
import { hasher } from '../accounts/passwords.js';
import { emailKey } from '../accounts/user-model.js';
import type { Application, Demo, DemoPerson } from '../application.js';
import type { Database } from '../database/open.js';
import { type Config, ConfigError, inProduction } from './config.js';

/**
 * Sees to it that somebody can log in: the first administrator from ADMIN_EMAIL, or else, outside production, the demo
 * in an empty database.
 * @throws ConfigError for a common password; in production, where demo data is refused and an administrator has no default
 */
export async function prepareData(
  database: Stored & Pick<Database, 'alone'>,
  config: Config,
  { demo, policy, accountActions }: Pick<Application, 'demo' | 'policy' | 'accountActions'>,
): Promise<void> {
  const prepared = { demo, ...accountRules(policy, accountActions) };
  // Only who has something to write waits for its turn: a migration that runs for long may have it.
  if (!(await isPrepared(database, config, prepared))) {
    await database.alone(async () => {
      if (!(await isPrepared(database, config, prepared))) await firstData(database, config, prepared);
    });
  }
}

type Stored = Pick<Database, 'client'>;

/** What there is to put into a database, and who can administer it then. */
interface Prepared extends Pick<AccountRules, 'administrators'> {
  demo: Demo | undefined;
}

const refuse = (config: Config, problem: string) => new ConfigError(inProduction(config, [problem]).join('\n'));

async function isPrepared(database: Stored, config: Config, { demo, administrators }: Prepared): Promise<boolean> {
  if (config.production && (await hasDemo(database, demo))) {
    throw refuse(
      config,
      'DATABASE_URL: names a database with demo accounts, whose password is public; use another one.',
    );
  }
  return hasAdmin(database.client, administrators);
}

/** Returns true if the database holds accounts of the demo, whose password everyone knows. */
async function hasDemo({ client }: Stored, demo: Demo | undefined): Promise<boolean> {
  const emails = demo?.people.map(({ email }) => emailKey(email)) ?? [];
  if (emails.length === 0) return false;
  return (await client.user.findFirst({ where: { emailKey: { in: emails } }, select: { id: true } })) !== null;
}

async function firstData(database: Stored, config: Config, { demo, administrators }: Prepared): Promise<void> {
  const { production, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  if (email && password) await firstAdmin(database, administrators, email, password);
  else if (production) throw refuse(config, 'ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet; set both.');
  else if ((await database.client.user.count()) === 0) await demo?.seed(database.client);
}

async function firstAdmin(
  database: Stored,
  administrators: Prepared['administrators'],
  email: string,
  password: string,
): Promise<void> {
  if (isCommonPassword(password)) {
    throw new ConfigError('ADMIN_PASSWORD: is one of the passwords that attackers try first; choose another one.');
  }
  await createFirstAdmin(database.client, administrators, { email, passwordHash: await hasher().hash(password) });
}

/**
 * @returns who can log in to the demo: in production nobody, nor where it was never put in, or somebody has changed its password
 * or address since
 */
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
