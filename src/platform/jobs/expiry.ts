import { KNOWN_FOR } from '../accounts/networks.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { type Statements, statement } from '../database/statement.js';

/** Names the advisory lock of this work. */
const EXPIRY_LOCK = 0x41434558;
/** Rows of one transaction: a session may have three thousand tokens, and a statement five seconds. */
const BATCH = 100;

/** Whether anything of what the deletions below look for is there. */
const anythingOver = statement<[now: Date, forgotten: Date], { found: boolean }>(
  'anything over',
  `SELECT EXISTS (SELECT FROM sessions WHERE expires_at <= $1 OR revoked_at IS NOT NULL)
    OR EXISTS (SELECT FROM throttles WHERE resets_at <= $1)
    OR EXISTS (SELECT FROM known_networks WHERE last_seen <= $2) AS found`,
);

/** Each deletes a batch of what is over, and says how many rows that was. */
const deletions: readonly ((db: Prisma.TransactionClient, now: Date) => Promise<number>)[] = [
  (db, now) => db.$executeRaw`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions WHERE expires_at <= ${now}::timestamptz OR revoked_at IS NOT NULL LIMIT ${BATCH})`,
  (db, now) => db.$executeRaw`
    DELETE FROM throttles WHERE key IN (
      SELECT key FROM throttles WHERE resets_at <= ${now}::timestamptz LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  (db, now) => db.$executeRaw`
    DELETE FROM known_networks WHERE (user_id, network) IN (
      SELECT user_id, network FROM known_networks WHERE last_seen <= ${new Date(now.getTime() - KNOWN_FOR)}::timestamptz
      LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
];

/**
 * Deletes ended sessions with their tokens, counters of attempts whose window is over, and networks that were not seen for
 * long. Safe on many instances: one of them works and the others leave it to it.
 * @param now milliseconds since the epoch
 * @returns how many rows were deleted, tokens apart
 */
export async function removeExpired(
  { client, statements }: { client: PrismaClient; statements: Statements },
  now: number,
): Promise<number> {
  const [row] = await statements.run(anythingOver, new Date(now), new Date(now - KNOWN_FOR));
  if (!row?.found) return 0;
  let removed = 0;
  for (const deletion of deletions) {
    let found: number;
    do {
      found = await client.$transaction(async (db) => {
        const [row] = await db.$queryRaw<{ free: boolean }[]>`
          SELECT pg_try_advisory_xact_lock(${EXPIRY_LOCK}::bigint) AS free`;
        return row?.free ? deletion(db, new Date(now)) : 0;
      });
      removed += found;
    } while (found === BATCH);
  }
  return removed;
}
