import type { Opened } from './databases.js';
import { eventually } from './process.js';
import { uncommitted } from './uncommitted.js';

/** Locks the row of a user until it is released. */
export async function holdUser(
  { client }: Pick<Opened, 'client'>,
  id: number,
): Promise<{ release: () => void; over: Promise<void> }> {
  const lock = uncommitted(client, (db) => db.$executeRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`);
  const { commit, over } = await lock;
  return { release: commit, over };
}

/** Returns the number of sessions that wait for a lock; 0 for an embedded database, which has one session. */
export async function waiting({ client }: Pick<Opened, 'client'>): Promise<number> {
  const sessions = await client.$queryRaw<object[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return sessions.length;
}

/**
 * Resolves when a session waits for a lock; immediately on an embedded database, which runs one transaction at a time.
 */
export async function someoneWaits(database: Opened): Promise<void> {
  if (database.url !== undefined) await eventually('a session that waits', async () => (await waiting(database)) > 0);
}
