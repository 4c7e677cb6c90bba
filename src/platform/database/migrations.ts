import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { rootPath } from '../root.js';
import { reportIfSlow } from './waiting.js';

/** One folder of prisma/migrations, in Prisma's own layout. */
export interface Migration {
  name: string;
  script: string;
  /** As Prisma records it: SHA-256 of the script, in hex. */
  checksum: string;
}

export const migrationsFolder = (): string => rootPath('prisma', 'migrations');

/** The migrations in the order in which they are applied, which is that of their names. */
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
export async function withMigrationSession<T>(pool: Pool, work: (session: MigrationSession) => Promise<T>): Promise<T> {
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
        await reportIfSlow(`Another process migrates this database. Waiting up to ${seconds} s for it.`, () =>
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

interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

/** As Prisma's own tool makes it, which can take over such a database and leave one to us. */
export const TABLE = `CREATE TABLE IF NOT EXISTS public._prisma_migrations (
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
 * The migrations that this database has not had, in order; one statement decides. A database that is ahead of this code is
 * accepted: during an update old and new instances run side by side.
 * @param all those of this code, in their order
 * @param underWay one that has not finished is pending, for it may be under way elsewhere
 * Throws when an applied migration was edited since, or when one has failed and is unresolved, and names it.
 */
async function pendingMigrations(
  session: MigrationSession,
  all: readonly Migration[],
  underWay: boolean,
): Promise<Migration[]> {
  const rows = await session
    .query<Applied>(
      'SELECT migration_name, checksum, finished_at FROM public._prisma_migrations WHERE rolled_back_at IS NULL',
    )
    .catch((error: { code?: string }) => {
      if (error.code === '42P01') return []; // no such table: a new database
      throw error;
    });
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  return all.filter(({ name, checksum }) => {
    const row = applied.get(name);
    if (row?.finished_at === null && underWay) return true;
    if (row?.finished_at === null) {
      throw new Error(
        `Migration ${name} was begun in this database and did not finish; see its row in _prisma_migrations. Repair the schema, then run: npx prisma migrate resolve --rolled-back ${name} (or --applied ${name}).`,
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
 * Applies what is pending, in order, and returns the names. Any number of instances may do it at once: one works, the
 * others wait. A script and its record are one transaction, so that one which fails or is killed leaves nothing behind and is
 * tried again at the next start. The error names the file and, where PostgreSQL says it, the line.
 */
export async function applyMigrations(session: MigrationSession, all: readonly Migration[]): Promise<string[]> {
  if ((await pendingMigrations(session, all, true)).length === 0) return [];
  await session.exclude();
  await session.run(TABLE);
  const migrations = await pendingMigrations(session, all, false);
  for (const migration of migrations) await apply(session, migration);
  return migrations.map(({ name }) => name);
}

async function apply({ run }: MigrationSession, migration: Migration): Promise<void> {
  const { name, script, checksum } = migration;
  const record = `INSERT INTO public._prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
    VALUES ('${randomUUID()}', '${checksum}', '${name.replaceAll("'", "''")}', clock_timestamp(), 1)`;
  try {
    // The script comes first, for the position in an error counts from the beginning.
    await run(`${script}\n;\n${record}`).catch(async (error: { code?: string }) => {
      // CREATE INDEX CONCURRENTLY and its like refuse a transaction: alone in their file they run without.
      if (error.code !== '25001') throw error;
      // What is given up half-way they do not undo.
      await run('SET lock_timeout = 0');
      await run(script);
      await run(record);
    });
  } catch (error) {
    throw migrationError(migration, error);
  }
}

/** Which migration PostgreSQL refused, where, and in its own words. */
export function migrationError({ name, script }: Migration, cause: unknown): Error {
  const { message, position } = cause as { message: string; position?: string };
  const line = position ? `:${script.slice(0, Number(position)).split('\n').length}` : '';
  return new Error(`Migration ${name} failed: prisma/migrations/${name}/migration.sql${line}: ${message}`, { cause });
}
