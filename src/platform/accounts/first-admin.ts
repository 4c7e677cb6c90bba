import { audit, COMMAND_LINE } from '../audit/audit.js';
import type { PrismaClient } from '../database/client.js';
import type { AccountRules } from './account-rules.js';
import { emailKey } from './user-model.js';

type Administrators = AccountRules['administrators'];

/** Returns true if somebody can administer the database. */
export async function hasAdmin(client: PrismaClient, administrators: Administrators): Promise<boolean> {
  const where = { role: { in: [...administrators] } };
  return (await client.user.findFirst({ where, select: { id: true } })) !== null;
}

/**
 * Creates the first administrator, unless there is one: safe to repeat, and on several instances at once.
 * @param admin the password in its stored form
 */
export async function createFirstAdmin(
  client: PrismaClient,
  administrators: Administrators,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<void> {
  if (await hasAdmin(client, administrators)) return;
  const [role] = administrators;
  const data = { name: 'Administrator', email, emailKey: emailKey(email), role, passwordHash };
  const where = { emailKey: data.emailKey };
  await client.$transaction(async (db) => {
    const exists = (await db.user.count({ where })) > 0;
    const { id } = await db.user.upsert({ where, create: data, update: { role }, select: { id: true } });
    await audit(db, COMMAND_LINE, exists ? 'role.changed' : 'user.created', `user:${id}`);
  });
}
