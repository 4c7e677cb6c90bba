import type { Opened } from './databases.js';
import { eventually } from './process.js';
import { uncommitted } from './uncommitted.js';

/** Locks a user's row until it is released, as another program might. */
export async function holdUser(
  { client }: Pick<Opened, 'client'>,
  id: number,
): Promise<{ release: () => void; over: Promise<void> }> {
  const lock = uncommitted(client, (db) => db.$executeRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`);
  const { commit, over } = await lock;
  return { release: commit, over };
}

/** How many sessions of this database wait for a lock that another one holds; the embedded one has but one session. */
export async function waiting({ client }: Pick<Opened, 'client'>): Promise<number> {
  const sessions = await client.$queryRaw<object[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return sessions.length;
}

/** Resolves once somebody waits for a lock; on the embedded database, whose transactions are one at a time, at once. */
export async function someoneWaits(database: Opened): Promise<void> {
  if (database.url !== undefined) await eventually('a session that waits', async () => (await waiting(database)) > 0);
}
