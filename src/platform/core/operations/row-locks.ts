import { Prisma } from '../../database/client.js';
import { tombstoneKind } from '../calls/rows.js';
import { begun, FULFILLED } from '../calls/schedulers.js';
import type { Tx } from './model.js';
import type { ModelData } from './model-data.js';

// Prisma has no row locks and no advisory locks, so this file sends SQL.

/** The class of the advisory locks on accounts. The second key is the account's id. */
const ACCOUNT_LOCK = 0x4143_4341;
/** The class of the advisory locks on streams. The second key is a hash of the stream's key. */
const STREAM_LOCK = 0x4143_4348;

const identifier = (name: string): Prisma.Sql => Prisma.raw(`"${name.replaceAll('"', '""')}"`);
const tableOf = ({ stored }: ModelData): Prisma.Sql => identifier(stored.table);

export interface LockedAccount {
  readonly id: number;
  readonly role: string;
}

/** For accounts that a transaction reads and does not change. */
const SHARED = { lock: Prisma.sql`pg_advisory_xact_lock_shared`, row: Prisma.sql`FOR SHARE` };
const EXCLUSIVE = { lock: Prisma.sql`pg_advisory_xact_lock`, row: Prisma.sql`FOR UPDATE` };

/**
 * Locks accounts by id in one statement. Row locks exclude other programs. Advisory locks are granted in order, so that
 * a busy writer cannot starve a change of its account.
 */
export function lockAccounts(tx: Tx, ids: readonly number[], changing?: number): Promise<LockedAccount[]> {
  const each = [...new Set(ids)]
    .sort((a, b) => a - b)
    .map((id) => {
      const { lock, row } = id === changing ? EXCLUSIVE : SHARED;
      return Prisma.sql`
        SELECT * FROM (
          SELECT id, role FROM users WHERE id = ${id} AND ${lock}(${ACCOUNT_LOCK}::int, ${id}::int) IS NOT NULL ${row}
        ) AS account`;
    });
  return tx.$queryRaw<LockedAccount[]>`${Prisma.join(each, ' UNION ALL ')}`;
}

/** Locks the accounts of the caller and of a row, by id, and the row if `isLocked`. Returns the accounts. */
export function lockAccountsOf(
  tx: Tx,
  callerId: number,
  data: ModelData,
  id: number,
  isLocked: boolean,
): Promise<LockedAccount[]> {
  const account = data.stored.fields[data.account ?? '']?.column;
  const owner =
    account === undefined
      ? Prisma.empty
      : Prisma.sql`UNION SELECT ${identifier(account)} FROM ${tableOf(data)} WHERE id = ${id}`;
  const row = isLocked
    ? Prisma.sql`UNION ALL SELECT id, NULL FROM (SELECT id FROM ${tableOf(data)} WHERE id = ${id} FOR UPDATE) AS target`
    : Prisma.empty;
  const locked = tx.$queryRaw<{ id: number; role: string | null }[]>`
    SELECT * FROM (
      SELECT account.id, account.role FROM (
        SELECT id FROM (SELECT ${callerId}::int AS id ${owner}) AS concerned WHERE id IS NOT NULL ORDER BY id
      ) AS wanted CROSS JOIN LATERAL (
        SELECT users.id, role FROM users
        WHERE users.id = wanted.id AND pg_advisory_xact_lock_shared(${ACCOUNT_LOCK}::int, users.id) IS NOT NULL FOR SHARE
      ) AS account
    ) AS accounts ${row}`;
  return locked.then((rows) => rows.filter((row): row is LockedAccount => row.role !== null));
}

export async function lockRow(tx: Tx, data: ModelData, id: number): Promise<void> {
  await tx.$queryRaw`SELECT id FROM ${tableOf(data)} WHERE id = ${id} FOR UPDATE`;
}

/** Serializes inserts, so that ids commit in order: a subscriber that has seen id 7 misses no lower one. */
export const lockStream = (tx: Tx, key: string): Promise<unknown> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(${STREAM_LOCK}::int, hashtext(${key}))`;

/** Creates tombstones of locked rows and of the rows deleted in cascade. Locks parents against new children. */
export function createTombstones(tx: Tx, data: ModelData, ids: readonly number[]): Promise<unknown> {
  if (!data.hasNumericId || ids.length === 0) return FULFILLED;
  const conditions = new Map<ModelData, Prisma.Sql>();
  const visit = (path: readonly ModelData[], parent: ModelData, condition: Prisma.Sql): void => {
    for (const { child, column } of parent.cascades) {
      if (path.includes(child) || !child.hasNumericId) continue;
      const isChild = Prisma.sql`${identifier(column)} IN (SELECT id FROM ${tableOf(parent)} WHERE ${condition})`;
      const known = conditions.get(child);
      const combined = known ? Prisma.sql`${known} OR ${isChild}` : isChild;
      // Moves the model to the end, because its rows are locked after the rows of all parents.
      conditions.delete(child);
      conditions.set(child, combined);
      visit([...path, child], child, isChild);
    }
  };
  visit([data], data, Prisma.sql`id = ANY(${[...ids]}::int[])`);
  const locks = [...conditions]
    .filter(([child]) => child.cascades.length > 0)
    .map(
      ([child, condition]) => tx.$queryRaw`SELECT id FROM ${tableOf(child)} WHERE ${condition} ORDER BY id FOR UPDATE`,
    );
  const kindOf = ({ model }: ModelData) => tombstoneKind(model);
  const each = [
    Prisma.sql`SELECT ${kindOf(data)}::text, unnest(${[...ids]}::int[])`,
    ...[...conditions].map(
      ([child, condition]) => Prisma.sql`
        SELECT ${kindOf(child)}::text, id FROM (
          SELECT id FROM ${tableOf(child)} WHERE ${condition} ORDER BY id FOR UPDATE
        ) AS deleted`,
    ),
  ];
  const insert = tx.$executeRaw`INSERT INTO tombstones (kind, id) ${Prisma.join(each, ' UNION ALL ')} ON CONFLICT DO NOTHING`;
  return Promise.all([...locks, insert].map(begun));
}
