import type { Pool } from 'pg';
import { telling } from './patience.js';

/** The advisory lock of Prisma's own tool, so that `prisma migrate deploy` beside a starting instance waits as well. */
const MIGRATION_LOCK = 72_707_369;
/** Milliseconds that an instance waits for another one's migrations. */
const MIGRATION_WAIT = 60_000;
/** Milliseconds that a start waits for an answer to a question, and for another program that has locked a table. */
const START_WAIT = 30_000;

export interface MigrationSession {
  query: <Row>(sql: string) => Promise<Row[]>;
  /** Runs any number of statements, which are one transaction unless they say otherwise. */
  run: (script: string) => Promise<void>;
  /** Keeps other instances out until the session ends. */
  exclude: () => Promise<void>;
}

/** Runs `work` on one connection of a pool, without time limits for scripts. The connection is closed afterwards. */
export async function migrating<T>(pool: Pool, work: (session: MigrationSession) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`SET lock_timeout = ${START_WAIT}`);
    return await work({
      query: async (text) => {
        const question = { text, query_timeout: START_WAIT };
        return (await client.query(question)).rows;
      },
      run: async (script) => void (await client.query(script)),
      exclude: async () => {
        await client.query(`SET lock_timeout = ${MIGRATION_WAIT}`);
        const seconds = MIGRATION_WAIT / 1000;
        await telling(`Another process migrates this database. Waiting up to ${seconds} s for it.`, () =>
          client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`),
        ).catch((cause: { code?: string }) => {
          if (cause.code !== '55P03') throw cause;
          throw new Error(`Another process has been migrating this database for ${seconds} s.`, { cause });
        });
        await client.query(`SET lock_timeout = ${START_WAIT}`);
      },
    });
  } finally {
    client.release(true);
  }
}
