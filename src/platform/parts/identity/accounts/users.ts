import { ACCOUNT_ACTIONS, emailKey, User, type UserFields } from '../../../core/accounts.js';
import type { AccountActions } from '../../../core/application.js';
import { type Policy, rolesOf } from '../../../core/calls/access.js';
import { Failure, isStorableText } from '../../../core/calls/errors.js';
import { accessOf } from '../../../core/operations/call-transaction.js';
import { type Db, HIDDEN_ACCOUNT_MEMBERS, type ModelHooks, type Tx } from '../../../core/operations/model.js';
import { withHidden } from '../../../core/operations/model-guard.js';
import type { Core } from '../../../core/part.js';
import type { PrismaClient } from '../../../database/client.js';
import { audit } from '../audit/audit.js';
import type { Revocations } from '../sessions/revocations.js';
import type { Passwords } from './passwords.js';

export interface AccountRules {
  readonly actions: AccountActions;
  readonly roles: ReadonlySet<string>;
  /** The roles that may set `any` role. The first administrator gets the first one. */
  readonly administrators: readonly [string, ...string[]];
}

/** Reads the rules from a policy. @throws Error if no role could administer */
export function accountRules(policy: Policy, named: Partial<AccountActions> = {}): AccountRules {
  const actions = { ...ACCOUNT_ACTIONS, ...named };
  const reaches = Object.entries(policy[actions.setRole] ?? {});
  const [first, ...others] = reaches.flatMap(([role, reach]) => (reach === 'any' ? [role] : []));
  if (first === undefined) {
    throw new Error(
      `Nobody could administer: no contract gives a role \`any\` for ${actions.setRole}, the action that sets the roles of accounts.`,
    );
  }
  return { actions, roles: rolesOf(policy), administrators: [first, ...others] };
}

/** The class of the advisory lock on the set of administrators. */
const ADMIN_LOCK = 0x41434344;

const DUPLICATE = 'Another user has this e-mail address.';

/** @throws Failure CONFLICT if a user other than `except` has the address */
async function requireUniqueEmail(client: Tx, email: unknown, except?: number): Promise<void> {
  if (typeof email !== 'string' || !isStorableText(email)) return;
  const where = { emailKey: emailKey(email) };
  const other = await client.user.findUnique({ where, select: { id: true } });
  if (other && other.id !== except) throw new Failure('CONFLICT', DUPLICATE);
}

/** Returns what the part adds to the model of accounts. */
export const accountModel = (rules: AccountRules, revoke: Revocations['revoke'], seams: Core['seams']) => ({
  model: { ...User, read: rules.actions.read, protect: { role: rules.actions.setRole } },
  hidden: HIDDEN_ACCOUNT_MEMBERS,
  hooks: userHooks(rules, revoke, seams),
});

function userHooks({ administrators }: AccountRules, revoke: Revocations['revoke'], seams: Core['seams']): ModelHooks {
  /** Locks the set, so that the last two administrators cannot leave at once. */
  async function refuseLastAdmin(
    tx: Tx,
    { id, role }: { id: number; role?: unknown },
    newRole?: unknown,
  ): Promise<void> {
    if (!administrators.includes(role as string) || administrators.includes(newRole as string)) return;
    // Prisma has no advisory locks.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADMIN_LOCK}::bigint)`;
    const where = { role: { in: [...administrators] }, id: { not: id } };
    const other = await tx.user.findFirst({ where, select: { id: true } });
    if (!other) throw new Failure('CONFLICT', 'The last administrator can be neither deleted nor demoted.');
  }

  return {
    derive: (data) =>
      Object.assign(
        {},
        data,
        typeof data['name'] === 'string' && { name: data['name'].trim() },
        typeof data['email'] === 'string' && { emailKey: emailKey(data['email']) },
      ),
    beforeCreate: (client, { email }) => requireUniqueEmail(client, email),
    async beforeUpdate(tx, before, { email, role }) {
      await requireUniqueEmail(tx, email, before.id);
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
      await seams.idempotency.forget(tx, id);
      await revoke(tx, id);
      await audit(tx, call, 'user.deleted', `user:${id}`);
    },
    conflict: (index) => (index.includes('email_key') ? DUPLICATE : undefined),
  };
}

export const usersService = (client: PrismaClient, { hash }: Pick<Passwords, 'hash'>) => ({
  /**
   * Creates an account. Without a password nobody can log in.
   * @throws Failure CONFLICT for an e-mail address that is taken
   * @example
   * handler: ({ body }, { db, services }) => services.users.create(db, body)
   */
  async create(db: Db, { password, ...fields }: UserFields & { password?: string | undefined }): Promise<User> {
    if (password === undefined) return db.user.create({ data: fields as never });
    // A hash is expensive, so all checks come first.
    const { call } = accessOf(db);
    await requireUniqueEmail(client, fields.email);
    await call.enforce();
    const passwordHash = await hash(call, password);
    return db.user.create({ data: withHidden(Object.assign({}, fields, { passwordHash })) as never });
  },
});
