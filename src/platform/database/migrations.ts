import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { rootPath } from '../root.js';
import { reportIfSlow } from './retry.js';

/** A folder of prisma/migrations. */
export interface Migration {
  name: string;
  script: string;
  /** SHA-256 of the script in hex, as Prisma stores it. */
  checksum: string;
}

export const migrationsFolder = (): string => rootPath('prisma', 'migrations');

export function readMigrations(folder: string = migrationsFolder()): Migration[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const script = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    });
}

/** Prisma's own advisory lock, so that `prisma migrate deploy` waits as well. */
const MIGRATION_LOCK = 72_707_369;
/** Milliseconds to wait for the migrations of another process. */
const MIGRATION_WAIT_MS = 60_000;
/** Milliseconds to wait for a query, and for a locked table. */
const START_WAIT_MS = 30_000;

export interface MigrationSession {
  query: <Row>(sql: string) => Promise<Row[]>;
  /** Runs statements in one transaction, unless the script contains its own. */
  run: (script: string) => Promise<void>;
  /** Takes the advisory lock until the session ends. */
  lockMigrations: () => Promise<void>;
}

/** Runs `work` on one connection of the pool, without a time limit for scripts, and closes the connection. */
export async function withMigrationSession<T>(pool: Pool, work: (session: MigrationSession) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`SET lock_timeout = ${START_WAIT_MS}`);
    return await work({
      query: async (text) => {
        const config = { text, query_timeout: START_WAIT_MS };
        return (await client.query(config)).rows;
      },
      run: async (script) => void (await client.query(script)),
      lockMigrations: async () => {
        await client.query(`SET lock_timeout = ${MIGRATION_WAIT_MS}`);
        const seconds = MIGRATION_WAIT_MS / 1000;
        await reportIfSlow(`Another process migrates this database. Waiting up to ${seconds} s for it.`, () =>
          client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`),
        ).catch((cause: { code?: string }) => {
          if (cause.code !== '55P03') throw cause;
          throw new Error(`Another process has been migrating this database for ${seconds} s.`, { cause });
        });
        await client.query(`SET lock_timeout = ${START_WAIT_MS}`);
      },
    });
  } finally {
    client.release(true);
  }
}

interface AppliedMigration {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

/** Equals the table of Prisma Migrate, so that `prisma migrate` can continue. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS public._prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Returns the missing migrations. Accepts newer ones in the database: an update runs two versions side by side.
 * @param isUnfinishedAllowed treats an unfinished migration as missing, because another instance may be running it
 * @throws Error for an applied migration that was edited, and for an unfinished one
 */
async function pendingMigrations(
  session: MigrationSession,
  all: readonly Migration[],
  isUnfinishedAllowed: boolean,
): Promise<Migration[]> {
  const rows = await session
    .query<AppliedMigration>(
      'SELECT migration_name, checksum, finished_at FROM public._prisma_migrations WHERE rolled_back_at IS NULL',
    )
    .catch((error: { code?: string }) => {
      if (error.code === '42P01') return []; // no such table: a new database
      throw error;
    });
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  return all.filter(({ name, checksum }) => {
    const row = applied.get(name);
    if (row?.finished_at === null && isUnfinishedAllowed) return true;
    if (row?.finished_at === null) {
      throw new Error(
        `Migration ${name} has not finished in this database; see its row in _prisma_migrations. Repair the schema, then run: npx prisma migrate resolve --rolled-back ${name} (or --applied ${name}).`,
      );
    }
    if (row && row.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was edited after it had been applied to this database. Restore prisma/migrations/${name}/migration.sql and put the change into a new migration.`,
      );
    }
    return !row;
  });
}

/**
 * Applies the missing migrations in order, and returns their names. Instances that start together wait for each other.
 * A script and its record are one transaction, so a failed script leaves nothing and is retried at the next start.
 * @throws Error with the file and, if PostgreSQL reports it, the line
 */
export async function applyMigrations(session: MigrationSession, all: readonly Migration[]): Promise<string[]> {
  if ((await pendingMigrations(session, all, true)).length === 0) return [];
  await session.lockMigrations();
  await session.run(MIGRATIONS_TABLE);
  const migrations = await pendingMigrations(session, all, false);
  for (const migration of migrations) await applyMigration(session, migration);
  return migrations.map(({ name }) => name);
}

async function applyMigration({ run }: MigrationSession, migration: Migration): Promise<void> {
  const { name, script, checksum } = migration;
  const record = `INSERT INTO public._prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
    VALUES ('${randomUUID()}', '${checksum}', '${name.replaceAll("'", "''")}', clock_timestamp(), 1)`;
  try {
    // The script comes first, because PostgreSQL counts the position of an error from the beginning.
    await run(`${script}\n;\n${record}`).catch(async (error: { code?: string }) => {
      // CREATE INDEX CONCURRENTLY and similar statements run only outside of a transaction.
      if (error.code !== '25001') throw error;
      // An aborted CREATE INDEX CONCURRENTLY leaves an invalid index.
      await run('SET lock_timeout = 0');
      await run(script);
      await run(`SET lock_timeout = ${START_WAIT_MS}`);
      await run(record);
    });
  } catch (error) {
    throw migrationError(migration, error);
  }
}

export function migrationError({ name, script }: Migration, cause: unknown): Error {
  const { message, position } = cause as { message: string; position?: string };
  const line = position ? `:${script.slice(0, Number(position)).split('\n').length}` : '';
  return new Error(`Migration ${name} failed: prisma/migrations/${name}/migration.sql${line}: ${message}`, { cause });
}
