import { audit } from '../audit/audit.js';
import { authorise, type Call } from '../calls/access.js';
import { type Conditions, decide } from '../calls/conditions.js';
import { Failure } from '../calls/errors.js';
import { absent, entomb } from '../calls/tombstones.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import type { Statements } from '../database/statement.js';
import { forget, type Idempotency } from '../idempotency/idempotency.js';
import type { Revocations } from '../sessions/revocations.js';
import type { AccountRules } from './account-rules.js';
import { USER, type User } from './user-reads.js';
import { claimingUnique, normalised, refuseDuplicate, refuseLastAdmin, type UserFields } from './user-rules.js';
import { userWrites } from './user-writes.js';
import { writing } from './writing.js';

export type { User } from './user-reads.js';

const ownerOf = ({ id }: User): number => id;

/** What accounts own beside their logins, and what its deletion with the account asks for. The rows go by their references. */
export interface Belongings {
  /** Throws a Failure while the account may not go. Last but for the content and the rate. */
  readonly refuse?: (db: Prisma.TransactionClient, userId: number) => Promise<void>;
  /**
   * Sets the tombstones of what goes. What others may be adding to or deleting is locked first, so that nothing goes without
   * one.
   */
  readonly entomb?: (db: Prisma.TransactionClient, userId: number) => Promise<void>;
}

interface UsersDependencies {
  client: PrismaClient;
  statements: Statements;
  idempotency: Pick<Idempotency, 'once'>;
  /** Those of the application; it may add some until the service starts. */
  belongings: readonly Belongings[];
  /** Hashes when it is the turn of the caller's network. */
  hashPassword: (address: string, password: string) => Promise<string>;
  /** Ends the access tokens of a user, in the transaction of the change. */
  revoke: Revocations['revoke'];
  rules: AccountRules;
}

/** What changes accounts, and the rules that keep them in order. Every method takes the call first. */
export function usersService({
  client,
  statements,
  idempotency,
  belongings,
  hashPassword,
  revoke,
  rules,
}: UsersDependencies) {
  const { actions, administrators } = rules;
  const writes = userWrites(client);
  return {
    /**
     * @param fields `password` in clear; without one the account cannot log in until one is set
     * @param answer what is answered; see `Answering`
     * @throws Failure CONFLICT for an e-mail address that is taken
     */
    async create<Answer extends object>(
      call: Call,
      { password, ...fields }: UserFields & { password?: string },
      answer: (user: User) => Answer,
    ): Promise<Answer> {
      authorise(call, actions.create);
      return idempotency.once(call, { answer, ownerOf }, async ({ inOneStatement }) => {
        // The index finds a duplicate. One is looked for where the call is refused for what comes later, or would cost a hash.
        const refuse = () => refuseDuplicate(client, fields.email);
        if (password !== undefined) await refuse();
        await call.checkpoint().catch((refusal: unknown) => refuse().then(() => Promise.reject(refusal)));
        const passwordHash = password === undefined ? null : await hashPassword(call.address, password);
        return claimingUnique(
          inOneStatement({ action: actions.create }, ...writes.insertion({ ...normalised(fields), passwordHash })),
        );
      });
    },

    /**
     * Changes the members given and leaves the others.
     * @throws Failure NOT_FOUND, GONE, PRECONDITION_FAILED, CONFLICT (e-mail address taken, last administrator)
     */
    async update(
      call: Call,
      id: number,
      changes: Partial<UserFields>,
      matches?: Conditions<User>['matches'],
    ): Promise<User> {
      authorise(call, actions.update, id);
      const deed = { action: actions.update, owner: id, changes: true };
      return claimingUnique(
        writing(statements, call, deed, async (db, { call: standing, owner: user }) => {
          const roleMoves = changes.role !== undefined && changes.role !== user.role;
          // A full replacement names the role that its sender had: it may be lost since, or bettered, and is to stay so.
          if (roleMoves) for (const one of [call, standing]) authorise(one, actions.setRole, id);
          const refuse = async () => {
            if (changes.email !== undefined) await refuseDuplicate(db, changes.email, id);
            if (roleMoves) await refuseLastAdmin(db, administrators, user, changes.role);
          };
          await decide(db, call, user, { matches, refuse });
          const [changed = user] = await db.run(...writes.change(id, normalised(changes)));
          if (changed.email !== user.email) await audit(db, call, 'email.changed', `user:${id}`);
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
    async delete(call: Call, id: number, matches?: Conditions<User>['matches']): Promise<User> {
      authorise(call, actions.delete, id);
      const deed = { action: actions.delete, owner: id, changes: true };
      const deleted = writing(client, call, deed, async (db, { owner: user }) => {
        const refuse = async () => {
          await refuseLastAdmin(db, administrators, user);
          for (const owned of belongings) await owned.refuse?.(db, id);
        };
        await decide(db, call, user, { matches, refuse });
        for (const owned of belongings) await owned.entomb?.(db, id);
        await entomb(db, [{ model: USER, ids: id }]);
        await forget(db, id);
        await db.user.delete({ where: { id }, select: { id: true } });
        await revoke(db, id);
        await audit(db, call, 'user.deleted', `user:${id}`);
        return user;
      });
      return deleted.catch(goneIsNotFound);
    },
  };
}

/** A repeated delete is 404, other methods say 410 (docs/decisions.md, "Reading and writing over REST"). */
const goneIsNotFound = (error: unknown): never => {
  throw error instanceof Failure && error.code === 'GONE' ? absent(USER) : error;
};
