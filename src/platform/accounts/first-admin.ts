import { audit, COMMAND_LINE } from '../audit/audit.js';
import type { PrismaClient } from '../database/client.js';
import type { AccountRules } from './account-rules.js';
import { emailKey } from './user-rules.js';

type Administrators = AccountRules['administrators'];

/** What a fresh database still needs before anyone can administer it. */
export const hasAdmin = async (client: PrismaClient, administrators: Administrators): Promise<boolean> =>
  (await client.user.count({ where: { role: { in: [...administrators] } } })) > 0;

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
