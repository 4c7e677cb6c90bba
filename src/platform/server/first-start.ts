import { isCommonPassword } from '../accounts/common-passwords.js';
import { createFirstAdmin, hasAdmin } from '../accounts/first-admin.js';
import { hasher } from '../accounts/passwords.js';
import { emailKey } from '../accounts/user-rules.js';
import type { Demo, DemoLogin } from '../application.js';
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
  demo: Demo | undefined,
): Promise<DemoLogin | undefined> {
  // Only who has something to write waits for its turn: a migration that runs for long may have it.
  if (!(await isPrepared(client, config, demo))) {
    await alone(async () => {
      if (!(await isPrepared(client, config, demo))) await firstData(client, config, demo);
    });
  }
  return config.production || demo === undefined ? undefined : demoLogin(client, demo);
}

const refuse = (config: Config, problem: string) => new ConfigError(inProduction(config, [problem]).join('\n'));

async function isPrepared(client: PrismaClient, config: Config, demo: Demo | undefined): Promise<boolean> {
  if (config.production && (await demo?.isIn(client))) {
    throw refuse(
      config,
      'DATABASE_URL: names a database with demo accounts, whose password is public; use another one.',
    );
  }
  return hasAdmin(client);
}

async function firstData(client: PrismaClient, config: Config, demo: Demo | undefined): Promise<void> {
  const { production, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  if (email && password) await firstAdmin(client, email, password);
  else if (production) throw refuse(config, 'ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet; set both.');
  else if ((await client.user.count()) === 0) await demo?.seed(client);
}

async function firstAdmin(client: PrismaClient, email: string, password: string): Promise<void> {
  if (isCommonPassword(password)) {
    throw new ConfigError('ADMIN_PASSWORD: is one of the passwords that attackers try first; choose another one.');
  }
  await createFirstAdmin(client, { email, passwordHash: await hasher().hash(password) });
}

/** None where the demo was never put in, or somebody has changed its password or address since. */
async function demoLogin(client: PrismaClient, { login }: Demo): Promise<DemoLogin | undefined> {
  const where = { emailKey: emailKey(login.email) };
  const user = await client.user.findUnique({ where, select: { passwordHash: true } });
  return (await hasher().verify(user?.passwordHash ?? null, login.password)) ? login : undefined;
}
