import {
  type ActionOf,
  type Actor,
  authenticated,
  authorise,
  authoriseRole,
  type Call,
  type Policy,
} from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isStorableId } from '../calls/pages.js';
import { refuseAbsent } from '../calls/tombstones.js';
import { Prisma } from '../database/client.js';
import type { Sql, Transactions } from '../database/statement.js';
import { USER, type User, userColumns } from './user-reads.js';

/** Names, together with the id of a user, the advisory lock of that account. */
export const ACCOUNT_LOCK = 0x4143_4341;

/** What a caller is about to do. */
export interface Deed<Rules extends Policy = Policy> {
  action: ActionOf<Rules>;
  /** The user whom it concerns. Left out where nothing is owned, or where only the stored resource tells the owner. */
  owner?: number;
  /** Whether it changes the owner's account itself. */
  changes?: boolean;
}

/** Accounts as they are stored, and stay until the transaction ends. */
export interface Standing<Rules extends Policy = Policy> {
  /** The call with the role that its actor has. */
  call: Call<Rules>;
  /** The user whom the deed concerns; without one, the actor. */
  owner: User;
}

/**
 * Runs `work` in a transaction in which the caller keeps its account and its role. What a token says may have changed
 * while the call was under way, so what was decided by it is decided again by the rows. Every write for a caller goes
 * this way.
 *
 * Locks are taken in one order, so that no two writes wait for each other: accounts first, by id, each once and as
 * strongly as the deed will need it; then those on a set (the administrators, a channel, a key); then on what accounts own.
 * @param on what carries the transaction: prepared statements, or Prisma's client
 * @throws Failure UNAUTHENTICATED when the caller's account is gone, FORBIDDEN when its role does not permit the deed,
 *   NOT_FOUND or GONE where the owner is not there
 */
export const writing = <R, Db extends Sql, Rules extends Policy>(
  on: Transactions<Db>,
  call: Call<Rules>,
  deed: Deed<NoInfer<Rules>>,
  work: (db: Db, standing: Standing<Rules>) => Promise<R>,
): Promise<R> => on.$transaction(async (db) => work(db, await stand(db, call, deed)));

async function stand<Rules extends Policy>(
  db: Sql,
  call: Call<Rules>,
  { action, owner, changes = false }: Deed<Rules>,
): Promise<Standing<Rules>> {
  const actor = authenticated(call);
  const concerned = owner ?? actor.id;
  const accounts = await hold(db, [actor.id, concerned], changes ? concerned : undefined);
  const self = accounts.get(actor.id);
  if (!self) throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token' });
  const standing = { ...call, actor: { ...actor, role: self.role } };
  permit(standing, { action, owner });
  return { call: standing, owner: accounts.get(concerned) ?? (await refuseAbsent(db, USER, concerned)) };
}

/** @returns the caller @throws Failure UNAUTHENTICATED, or FORBIDDEN where its role does not permit the deed */
export const permit = <Rules extends Policy>(
  call: Call<Rules>,
  { action, owner }: Pick<Deed<NoInfer<Rules>>, 'action'> & { owner?: number | undefined },
): Actor => (owner === undefined ? authoriseRole(call, action) : authorise(call, action, owner));

/** The two ways to hold an account: many at once, so that it stays as it is, or alone, to change it. */
const SHARED = { turn: Prisma.sql`pg_advisory_xact_lock_shared`, row: Prisma.sql`FOR SHARE` };
const ALONE = { turn: Prisma.sql`pg_advisory_xact_lock`, row: Prisma.sql`FOR UPDATE` };

/**
 * Locks accounts, in one statement and by ascending id. The lock of the row keeps everybody off, other programs too; but
 * newcomers who share it pass those who wait to have it alone, so that who writes without a pause could never be
 * demoted. The advisory lock before it is given out in the order of asking.
 */
async function hold(db: Sql, ids: number[], changing: number | undefined): Promise<Map<number, User>> {
  const held = [...new Set(ids)].filter(isStorableId).sort((a, b) => a - b);
  const columns = userColumns(db);
  const each = held.map((id) => {
    const { turn, row } = id === changing ? ALONE : SHARED;
    return Prisma.sql`
      SELECT * FROM (
        SELECT ${columns} FROM users WHERE id = ${id} AND ${turn}(${ACCOUNT_LOCK}::int, ${id}::int) IS NOT NULL ${row}
      ) AS account`;
  });
  const rows = await db.$queryRaw<User[]>`${Prisma.join(each, ' UNION ALL ')}`;
  return new Map(rows.map((row) => [row.id, row]));
}
