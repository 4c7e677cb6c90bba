import { type AccountRules, accountRules } from '../accounts/account-rules.js';
import { isCommonPassword } from '../accounts/common-passwords.js';
import { createFirstAdmin, hasAdmin } from '../accounts/first-admin.js';
import { hasher } from '../accounts/passwords.js';
import { emailKey } from '../accounts/user-rules.js';
import type { Application, Demo, DemoLogin } from '../application.js';
import type { PrismaClient } from '../database/client.js';
import type { Database } from '../database/open.js';
import { type Config, ConfigError, inProduction } from './config.js';

/**
 * Sees to it that somebody can log in: the first administrator from ADMIN_EMAIL, or else, outside production, the demo
 * in an empty database.
 * @throws ConfigError for a common password; in production, where demo data is refused and an administrator has no default
 */
export async function prepareData(
  { client, alone }: Pick<Database, 'client' | 'alone'>,
  config: Config,
  { demo, policy, accountActions }: Pick<Application, 'demo' | 'policy' | 'accountActions'>,
): Promise<DemoLogin | undefined> {
  const prepared = { demo, ...accountRules(policy, accountActions) };
  // Only who has something to write waits for its turn: a migration that runs for long may have it.
  if (!(await isPrepared(client, config, prepared))) {
    await alone(async () => {
      if (!(await isPrepared(client, config, prepared))) await firstData(client, config, prepared);
    });
  }
  return config.production || demo === undefined ? undefined : demoLogin(client, demo);
}

/** What there is to put into a database, and who can administer it then. */
interface Prepared extends Pick<AccountRules, 'administrators'> {
  demo: Demo | undefined;
}

const refuse = (config: Config, problem: string) => new ConfigError(inProduction(config, [problem]).join('\n'));

async function isPrepared(client: PrismaClient, config: Config, { demo, administrators }: Prepared): Promise<boolean> {
  if (config.production && (await demo?.isIn(client))) {
    throw refuse(
      config,
      'DATABASE_URL: names a database with demo accounts, whose password is public; use another one.',
    );
  }
  return hasAdmin(client, administrators);
}

async function firstData(client: PrismaClient, config: Config, { demo, administrators }: Prepared): Promise<void> {
  const { production, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  if (email && password) await firstAdmin(client, administrators, email, password);
  else if (production) throw refuse(config, 'ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet; set both.');
  else if ((await client.user.count()) === 0) await demo?.seed(client);
}

async function firstAdmin(
  client: PrismaClient,
  administrators: Prepared['administrators'],
  email: string,
  password: string,
): Promise<void> {
  if (isCommonPassword(password)) {
    throw new ConfigError('ADMIN_PASSWORD: is one of the passwords that attackers try first; choose another one.');
  }
  await createFirstAdmin(client, administrators, { email, passwordHash: await hasher().hash(password) });
}

/** None where the demo was never put in, or somebody has changed its password or address since. */
async function demoLogin(client: PrismaClient, { login }: Demo): Promise<DemoLogin | undefined> {
  const where = { emailKey: emailKey(login.email) };
  const user = await client.user.findUnique({ where, select: { passwordHash: true } });
  return (await hasher().verify(user?.passwordHash ?? null, login.password)) ? login : undefined;
}
