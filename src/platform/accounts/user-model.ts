import { audit } from '../audit/audit.js';
import { Failure } from '../calls/errors.js';
import { isStorableText } from '../calls/text.js';
import type { Prisma } from '../database/client.js';
import { forget } from '../idempotency/idempotency.js';
import { type HiddenMembers, type ModelHooks, model, type Row, type Tx } from '../operations/model.js';
import type { Revocations } from '../sessions/revocations.js';
import { ACCOUNT_ACTIONS, type AccountRules } from './account-rules.js';

/** A user, without the members that no representation shows. */
export type User = Row<'User'>;

/**
 * The model of accounts. The platform derives the key of the e-mail address, keeps one administrator, ends what a change of the
 * role or a deletion revokes, and writes the audit table.
 * @example
 * export const models = [User, Post];
 */
export const User = model('User', {
  read: ACCOUNT_ACTIONS.read,
  owner: (caller) => ({ id: caller.id }),
  protect: { role: ACCOUNT_ACTIONS.setRole },
});

/** Members of a user that no operation reads. */
export const HIDDEN: HiddenMembers['user'] = { emailKey: true, passwordHash: true };

/** Class of the advisory lock on the set of administrators. */
const ADMIN_LOCK = 0x41434344;

/**
 * Returns the form by which e-mail addresses are unique: without regard to case.
 * @example
 * await db.user.create({ data: { ...account, emailKey: emailKey(account.email) } });
 */
export const emailKey = (email: string): string => email.toLowerCase();

/**
 * The members of a new user: name, e-mail address, role, and those that an application adds to the model.
 * @example
 * const toFields = ({ role, ...rest }: Contract.UpdateUserRequestBody): Partial<UserFields> => ({ ...rest, … });
 */
export interface UserFields
  extends Pick<Prisma.UserUncheckedCreateInput, Exclude<keyof User, 'id' | 'createdAt' | 'version'>> {}

const DUPLICATE = 'Another user has this e-mail address.';

/** @throws Failure CONFLICT when a user other than `except` has the address */
export async function refuseDuplicate(client: Tx, email: unknown, except?: number): Promise<void> {
  if (typeof email !== 'string' || !isStorableText(email)) return;
  const where = { emailKey: emailKey(email) };
  const other = await client.user.findUnique({ where, select: { id: true } });
  if (other && other.id !== except) throw new Failure('CONFLICT', DUPLICATE);
}

/** What happens around each write of an account. */
export function userHooks({
  administrators,
  revoke,
}: Pick<AccountRules, 'administrators'> & Pick<Revocations, 'revoke'>): ModelHooks {
  /** The lock makes two changes wait for each other, so that the last two administrators cannot go at once. */
  async function refuseLastAdmin(
    tx: Tx,
    { id, role }: { id: number; role?: unknown },
    becomes?: unknown,
  ): Promise<void> {
    if (!administrators.includes(role as string) || administrators.includes(becomes as string)) return;
    // Prisma has no word for advisory locks.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADMIN_LOCK}::bigint)`;
    const where = { role: { in: [...administrators] }, id: { not: id } };
    const other = await tx.user.findFirst({ where, select: { id: true } });
    if (!other) throw new Failure('CONFLICT', 'The last administrator can be neither deleted nor demoted.');
  }

  return {
    derive: (data) => ({
      ...data,
      ...(typeof data['name'] === 'string' && { name: data['name'].trim() }),
      ...(typeof data['email'] === 'string' && { emailKey: emailKey(data['email']) }),
    }),
    beforeCreate: (client, { email }) => refuseDuplicate(client, email),
    async beforeUpdate(tx, before, { email, role }) {
      await refuseDuplicate(tx, email, before.id);
      if (role !== undefined && role !== before['role']) await refuseLastAdmin(tx, before, role);
    },
    beforeDelete: (tx, before) => refuseLastAdmin(tx, before),
    afterCreate: (tx, call, { id }) => audit(tx, call, 'user.created', `user:${id}`),
    async afterUpdate(tx, call, before, after) {
      const subject = `user:${before.id}` as const;
      if (after['email'] !== before['email']) await audit(tx, call, 'email.changed', subject);
      if (after['role'] === before['role']) return;
      await revoke(tx, before.id);
      await audit(tx, call, 'role.changed', subject);
    },
    async afterDelete(tx, call, { id }) {
      await forget(tx, id);
      await revoke(tx, id);
      await audit(tx, call, 'user.deleted', `user:${id}`);
    },
    conflict: (index) => (index.includes('email_key') ? DUPLICATE : undefined),
  };
}
