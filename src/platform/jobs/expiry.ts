import { KNOWN_FOR } from '../accounts/networks.js';
import type { PrismaClient } from '../database/client.js';

/** Rows that one statement deletes: a session may have three thousand tokens, and a statement four seconds. */
const BATCH_ROWS = 100;

/** Deletes rows in batches. @param batch deletes one, and returns how many rows that were */
async function inBatches(batch: () => Promise<number>): Promise<number> {
  for (let removed = 0; ; ) {
    const found = await batch();
    removed += found;
    if (found < BATCH_ROWS) return removed;
  }
}

/**
 * Deletes ended sessions with their tokens, counters of attempts whose window is over, and networks that were not seen for long.
 * Several instances may do it at once.
 * @param now milliseconds since the epoch
 * @returns how many rows were deleted, tokens apart
 */
export async function removeExpired(client: PrismaClient, now: number): Promise<number> {
  const time = new Date(now);
  const take = BATCH_ROWS;
  const ended = { OR: [{ expiresAt: { lte: time } }, { revokedAt: { not: null } }] };
  const sessions = await inBatches(async () => {
    const rows = await client.session.findMany({ where: ended, select: { id: true }, take });
    if (rows.length === 0) return 0;
    const { count } = await client.session.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    return Math.min(count, rows.length);
  });
  const over = { resetsAt: { lte: time } };
  // One by one: a login locks several counters, and two statements that lock several rows could wait for each other.
  const throttles = await inBatches(async () => {
    const rows = await client.throttle.findMany({ where: over, select: { key: true }, take });
    let removed = 0;
    for (const { key } of rows) removed += (await client.throttle.deleteMany({ where: { key, ...over } })).count;
    return removed;
  });
  const unseen = { lastSeen: { lte: new Date(now - KNOWN_FOR) } };
  const networks = await inBatches(async () => {
    const rows = await client.knownNetwork.findMany({ where: unseen, select: { network: true }, take });
    if (rows.length === 0) return 0;
    const where = { network: { in: rows.map(({ network }) => network) }, ...unseen };
    return (await client.knownNetwork.deleteMany({ where })).count;
  });
  return sessions + throttles + networks;
}
