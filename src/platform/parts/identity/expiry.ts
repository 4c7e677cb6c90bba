import { Prisma, type PrismaClient } from '../../database/client.js';
import { KNOWN_NETWORK_AGE_MS } from './accounts/known-networks.js';
import { ATTEMPT_AGE_MS } from './accounts/login-attempts.js';
import { MARK_AGE_MS } from './sessions/revocations.js';

/** Small, because a session may have 3,000 tokens and a statement must end within four seconds. */
const BATCH_ROWS = 100;

/**
 * Deletes ended sessions, expired counters and marks, counters of a wrong clock, and old networks. Skips locked rows.
 * @returns the number of deleted rows; tokens that sessions cascade to do not count
 */
export async function removeExpired(client: PrismaClient, now: number): Promise<number> {
  const time = Prisma.sql`${new Date(now)}::timestamptz`;
  const before = Prisma.sql`${new Date(now - MARK_AGE_MS)}::timestamptz`;
  // Failures during the sweep are later than `now`.
  const latest = Prisma.sql`${new Date(now + 4 * ATTEMPT_AGE_MS)}::timestamptz`;
  const unseen = Prisma.sql`${new Date(now - KNOWN_NETWORK_AGE_MS)}::timestamptz`;
  const tables = [
    [Prisma.sql`sessions`, Prisma.sql`id`, Prisma.sql`expires_at <= ${time} OR revoked_at IS NOT NULL`],
    [Prisma.sql`throttles`, Prisma.sql`key`, Prisma.sql`resets_at <= ${time} OR resets_at > ${latest}`],
    [Prisma.sql`revocations`, Prisma.sql`user_id`, Prisma.sql`revoked_at < ${before}`],
    [Prisma.sql`known_networks`, Prisma.sql`user_id, network`, Prisma.sql`last_seen <= ${unseen}`],
  ] as const;
  let removed = 0;
  for (const [table, key, expired] of tables) {
    const rows = Prisma.sql`SELECT ${key} FROM ${table} WHERE ${expired} LIMIT ${BATCH_ROWS}::int FOR UPDATE SKIP LOCKED`;
    let found = BATCH_ROWS;
    while (found === BATCH_ROWS) {
      found = await client.$executeRaw`DELETE FROM ${table} WHERE (${key}) IN (${rows})`;
      removed += found;
    }
  }
  return removed;
}
