import { audit, COMMAND_LINE } from '../audit/audit.js';
import type { Database } from '../database/open.js';
import { type Statements, statement } from '../database/statement.js';
import type { AccountRules } from './account-rules.js';
import { emailKey } from './user-model.js';

type Administrators = AccountRules['administrators'];

const administrator = statement<[roles: readonly string[]], { found: boolean }>(
  'is there an administrator',
  'SELECT EXISTS (SELECT FROM users WHERE role = ANY($1::text[])) AS found',
);

/** What a fresh database still needs before anyone can administer it. */
export const hasAdmin = async (statements: Statements, administrators: Administrators): Promise<boolean> =>
  (await statements.run(administrator, administrators))[0]?.found === true;

/**
 * Creates the first administrator, unless there is one: safe to repeat, and on several instances at once.
 * @param admin the password in its stored form
 */
export async function createFirstAdmin(
  { client, statements }: Pick<Database, 'client' | 'statements'>,
  administrators: Administrators,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<void> {
  if (await hasAdmin(statements, administrators)) return;
  const [role] = administrators;
  const data = { name: 'Administrator', email, emailKey: emailKey(email), role, passwordHash };
  const where = { emailKey: data.emailKey };
  await client.$transaction(async (db) => {
    const exists = (await db.user.count({ where })) > 0;
    const { id } = await db.user.upsert({ where, create: data, update: { role }, select: { id: true } });
    await audit(db, COMMAND_LINE, exists ? 'role.changed' : 'user.created', `user:${id}`);
  });
}
