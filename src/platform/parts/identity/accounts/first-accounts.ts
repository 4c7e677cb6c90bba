/** The accounts of a new database: the first administrator, or the demo. @module */

import { emailKey } from '../../../core/accounts.js';
import type { DemoPerson, Preparing } from '../../../core/application.js';
import { passwordHasher } from '../../../core/hasher.js';
import { isCommonPassword } from '../../../core/http/common-passwords.js';
import type { PrismaClient } from '../../../database/client.js';
import { audit, COMMAND_LINE } from '../audit/audit.js';
import { accountRules } from './users.js';

/**
 * Creates the first administrator, or the demo outside production. Idempotent, on several instances too.
 * @returns what the operator must correct
 */
export async function prepareAccounts({
  database: { client, exclusively },
  config: { production, ADMIN_EMAIL: email, ADMIN_PASSWORD: password },
  application: { demo, policy, accountActions },
}: Preparing): Promise<string | undefined> {
  const { administrators } = accountRules(policy, accountActions);
  const emails = demo?.people.map((person) => emailKey(person.email)) ?? [];
  const exists = async (where: object) => (await client.user.findFirst({ where, select: { id: true } })) !== null;
  const isPrepared = () => exists({ role: { in: [...administrators] } });

  async function create(): Promise<string | undefined> {
    if (await isPrepared()) return undefined;
    if (email && password) return createFirstAdmin(client, administrators[0], email, password);
    if (production) return 'ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet; set both.';
    if ((await client.user.count()) === 0) await demo?.seed(client);
    return undefined;
  }

  if (production && emails.length > 0 && (await exists({ emailKey: { in: emails } })))
    return 'DATABASE_URL: names a database with demo accounts, whose password is public; use another one.';
  // Does not wait for the lock without need, because a long migration may hold it.
  return (await isPrepared()) ? undefined : exclusively(create);
}

async function createFirstAdmin(
  client: PrismaClient,
  role: string,
  email: string,
  password: string,
): Promise<string | undefined> {
  if (isCommonPassword(password))
    return 'ADMIN_PASSWORD: is one of the passwords that attackers try first; choose another one.';
  const passwordHash = await passwordHasher().hash(password);
  const where = { emailKey: emailKey(email) };
  await client.$transaction(async (db) => {
    const exists = (await db.user.count({ where })) > 0;
    const create = { name: 'Administrator', email, ...where, role, passwordHash };
    const { id } = await db.user.upsert({ where, create, update: { role }, select: { id: true } });
    await audit(db, COMMAND_LINE, exists ? 'role.changed' : 'user.created', `user:${id}`);
  });
  return undefined;
}

/** Returns the demo account, unless its password or address was changed. */
export async function demoLogin({
  database: { client },
  config: { production },
  application: { demo },
}: Preparing): Promise<DemoPerson | undefined> {
  const [first] = production || !demo ? [] : demo.people;
  if (first === undefined) return undefined;
  const where = { emailKey: emailKey(first.email) };
  const user = await client.user.findUnique({ where, select: { passwordHash: true } });
  return (await passwordHasher().verify(user?.passwordHash ?? null, first.password)) ? first : undefined;
}
