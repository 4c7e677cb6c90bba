import type { Prisma, PrismaClient } from '../database/client.js';
import { authorise, type Call } from './access.js';
import { audit } from './audit.js';
import { Failure } from './errors.js';
import type { Idempotency } from './idempotency.js';
import { isStorableId } from './pages.js';
import type { Revocations } from './revocations.js';
import { entomb } from './tombstones.js';
import { loadUser, shown, type User } from './user-reads.js';
import {
  claimingEmail,
  lockAdmins,
  normalised,
  refuseDuplicate,
  refuseLastAdmin,
  type UserFields,
} from './user-rules.js';

export type { User } from './user-reads.js';

/** Throws when the stored user is not the one that the caller has seen (PRECONDITION_FAILED); see RFC 9110 §13.1.1. */
export type Precondition = (user: User) => void;
const always: Precondition = () => {};

const ownId = ({ id }: User): number => id;

export interface UsersDependencies {
  client: PrismaClient;
  idempotency: Pick<Idempotency, 'once'>;
  hashPassword: (password: string) => Promise<string>;
  /** Ends the access tokens of a user, in the transaction of the change. */
  revoke: Revocations['revoke'];
}

/** What changes accounts, and the rules that keep them in order. Every method takes the call first. */
export function usersService({ client, idempotency, hashPassword, revoke }: UsersDependencies) {
  type Transaction = Prisma.TransactionClient;

  /** Runs `work` on the user's row, locked; `admins` also keeps the set of administrators still. */
  const locked = <T>(id: number, admins: boolean, work: (db: Transaction) => Promise<T>): Promise<T> =>
    client.$transaction(async (db) => {
      if (admins) await lockAdmins(db);
      if (isStorableId(id)) await db.$executeRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
      return work(db);
    });

  return {
    /**
     * @param fields `password` in clear; without one the account cannot log in until one is set
     * @throws Failure CONFLICT for an e-mail address that is taken
     */
    async create(call: Call, { password, ...fields }: UserFields & { password?: string }): Promise<User> {
      authorise(call, 'users.create');
      return idempotency.once(call, ownId, async ({ effect }) => {
        await refuseDuplicate(client, fields.email);
        await call.checkpoint();
        const passwordHash = password === undefined ? null : await hashPassword(password);
        const data = { ...normalised(fields), passwordHash };
        return claimingEmail(effect((db) => db.user.create({ data, select: shown })));
      });
    },

    /**
     * Changes the members given and leaves the others.
     * @throws Failure NOT_FOUND, GONE, PRECONDITION_FAILED, CONFLICT (e-mail address taken, last administrator)
     */
    async update(call: Call, id: number, changes: Partial<UserFields>, matches: Precondition = always): Promise<User> {
      const actor = authorise(call, 'users.update', id);
      const roleMoves = changes.role !== undefined && !(id === actor.id && changes.role === actor.role);
      if (roleMoves) authorise(call, 'users.set-role', id);
      return claimingEmail(
        locked(id, roleMoves, async (db) => {
          const user = await loadUser(db, id);
          matches(user);
          if (changes.email !== undefined) await refuseDuplicate(db, changes.email, id);
          if (roleMoves && changes.role !== 'ADMIN') await refuseLastAdmin(db, user);
          await call.checkpoint();
          const data = { ...normalised(changes), version: { increment: 1 } };
          const changed = await db.user.update({ where: { id }, data, select: shown });
          if (changed.role !== user.role) {
            await revoke(db, id);
            await audit(db, call, 'role.changed', `user:${id}`);
          }
          return changed;
        }),
      );
    },

    /**
     * Deletes the account with all that belongs to it, in one transaction, and leaves tombstones.
     * @returns the user as it was
     * @throws Failure NOT_FOUND (also when it was deleted before), PRECONDITION_FAILED, CONFLICT
     */
    async delete(call: Call, id: number, matches: Precondition = always): Promise<User> {
      authorise(call, 'users.delete', id);
      return locked(id, true, async (db) => {
        const user = await loadUser(db, id).catch(goneIsNotFound);
        matches(user);
        await refuseLastAdmin(db, user);
        if (await db.order.count({ where: { userId: id, status: 'PROCESSING' } })) {
          throw new Failure('CONFLICT', 'An order of this user is being paid; try again when it is settled.');
        }
        await call.checkpoint();
        await entomb(db, id);
        await db.user.delete({ where: { id }, select: { id: true } });
        await revoke(db, id);
        await audit(db, call, 'user.deleted', `user:${id}`);
        return user;
      });
    },
  };
}

/** A repeated delete is 404, on a resource whose other methods say 410 (decisions, section 4). */
const goneIsNotFound = (error: unknown): never => {
  if (error instanceof Failure && error.code === 'GONE') throw new Failure('NOT_FOUND', 'There is no such user.');
  throw error;
};
