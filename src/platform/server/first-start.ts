import { hasher, isCommonPassword } from '../accounts/passwords.js';
import { accountRules, emailKey } from '../accounts/users.js';
import type { Application, DemoPerson } from '../application.js';
import { audit, COMMAND_LINE } from '../audit/audit.js';
import type { PrismaClient } from '../database/client.js';
import type { Database } from '../database/open.js';
import { type Config, ConfigError, inProduction } from './config.js';

/**
 * Makes sure that somebody can log in: creates the first administrator from ADMIN_EMAIL, or else, outside production, the demo in an
 * empty database. Safe to repeat, and on several instances at once.
 * @throws ConfigError for a common password; in production, which refuses demo data and has no default administrator
 */
export async function prepareData(
  { client, alone }: Pick<Database, 'client' | 'alone'>,
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
  if (!(await isPrepared())) await alone(prepare);
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
