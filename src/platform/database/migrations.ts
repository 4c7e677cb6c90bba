import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { BOUNDS } from '../core/bounds.js';
import { rootPath } from '../root.js';
import { reportIfSlow } from './faults.js';

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
/** Milliseconds to wait for the migrations of another process, and between two attempts. */
const MIGRATION_WAIT_MS = 60_000;
const MIGRATION_POLL_MS = 250;
/** Milliseconds to wait for a query. */
const START_WAIT_MS = 30_000;
/** Milliseconds between two attempts to lock a table, in which the running instances work, and for all attempts. */
const LOCK_PAUSE_MS = 2000;
const LOCK_RETRY_MS = 60_000;

/** SQLSTATE of CREATE INDEX CONCURRENTLY and similar statements in a transaction. */
const NOT_IN_TRANSACTION = '25001';
/** SQLSTATE of the lock time-out, and of a deadlock with a request. */
const LOCK_FAILURES: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

const RESET_ROLE = 'RESET SESSION AUTHORIZATION; RESET ROLE';
/** Like DISCARD ALL, without the release of the lock of migrations, and of LISTEN. */
export const RESET_SESSION = `CLOSE ALL; ${RESET_ROLE}; RESET ALL; DEALLOCATE ALL; DISCARD TEMP; DISCARD SEQUENCES`;

export interface MigrationSession {
  /** Gives the session its first settings, because a script may have changed them. */
  reset: () => Promise<void>;
  query: <Row>(sql: string) => Promise<Row[]>;
  /** Runs statements in one transaction, unless the script contains its own. */
  run: (script: string) => Promise<void>;
  /** Takes the advisory lock until the session ends. */
  lockMigrations: () => Promise<void>;
}

/**
 * Runs `work` on one connection of the pool, without a time limit for scripts, and closes the connection. A statement
 * that waits for a table lock fails soon, because all later statements on the table wait behind it.
 * @param begin sets what each session needs
 */
export async function withMigrationSession<T>(
  pool: Pool,
  work: (session: MigrationSession) => Promise<T>,
  begin: (client: ClientBase) => Promise<unknown> = async () => {},
): Promise<T> {
  const client = await pool.connect();
  const query = async <Row>(text: string): Promise<Row[]> => {
    const config = { text, query_timeout: START_WAIT_MS };
    return (await client.query(config)).rows;
  };
  // A waiting `pg_advisory_lock` holds a snapshot, for which CREATE INDEX CONCURRENTLY would wait: a deadlock.
  async function lockMigrations(): Promise<void> {
    const isLocked = async () => {
      const [row] = await query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS locked`);
      return row?.locked;
    };
    for (const end = performance.now() + MIGRATION_WAIT_MS; !(await isLocked()); await delay(MIGRATION_POLL_MS)) {
      if (performance.now() < end) continue;
      throw new Error(`Another process has been migrating this database for ${MIGRATION_WAIT_MS / 1000} s.`);
    }
  }
  async function reset(): Promise<void> {
    await query(RESET_SESSION);
    await begin(client);
    await query(`SET lock_timeout = ${BOUNDS.migrationLock.value}`);
  }
  try {
    await query(`SET lock_timeout = ${BOUNDS.migrationLock.value}`);
    return await work({
      query,
      reset,
      run: async (script) => void (await client.query(script)),
      lockMigrations: () =>
        reportIfSlow(
          `Another process migrates this database. Waiting up to ${MIGRATION_WAIT_MS / 1000} s for it.`,
          lockMigrations,
        ),
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

export interface MigrationResult {
  /** The names of the migrations that were applied now. */
  applied: string[];
  /** The names of migrations in the database that this version does not have: a newer version has applied them. */
  unknown: string[];
}

/**
 * Accepts unknown migrations in the database: an update runs two versions side by side.
 * @param isUnfinishedAllowed treats an unfinished migration as missing, because another instance may be running it
 * @throws Error for an applied migration that was edited, and for an unfinished one
 */
async function migrationState(
  session: MigrationSession,
  all: readonly Migration[],
  isUnfinishedAllowed: boolean,
): Promise<{ missing: Migration[] } & Pick<MigrationResult, 'unknown'>> {
  const rows = await session
    .query<AppliedMigration>(
      'SELECT migration_name, checksum, finished_at FROM public._prisma_migrations WHERE rolled_back_at IS NULL',
    )
    .catch((error: { code?: string }) => {
      if (error.code === '42P01') return []; // no such table: a new database
      throw error;
    });
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  const missing = all.filter(({ name, checksum }) => {
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
  const known = new Set(all.map(({ name }) => name));
  return { missing, unknown: [...applied.keys()].filter((name) => !known.has(name)).sort() };
}

/**
 * Applies the missing migrations in order. Instances that start together wait for each other.
 * @param mayApply false: rejects if migrations are missing
 * @throws Error with the file and, if PostgreSQL reports it, the line
 */
export async function applyMigrations(
  session: MigrationSession,
  all: readonly Migration[],
  mayApply = true,
): Promise<MigrationResult> {
  const { missing, unknown } = await migrationState(session, all, mayApply);
  if (missing.length === 0) return { applied: [], unknown };
  if (!mayApply) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new Error(
      `The database lacks migrations of this version: ${names}. Run \`accord migrate\` of this version, or start with MIGRATE_ON_START=on.`,
    );
  }
  await session.lockMigrations();
  await session.run(MIGRATIONS_TABLE);
  const now = await migrationState(session, all, false);
  for (const migration of now.missing) await applyMigration(session, migration);
  return { applied: now.missing.map(({ name }) => name), unknown };
}

/**
 * Runs a script and its record in one transaction, so a failed script leaves nothing and is retried at the next start.
 * Repeats the transaction while another one uses the tables.
 */
async function applyMigration({ query, run, reset }: MigrationSession, migration: Migration): Promise<void> {
  const { name, script, checksum } = migration;
  const id = randomUUID();
  const begun = `INSERT INTO public._prisma_migrations (id, checksum, migration_name)
    VALUES ('${id}', '${checksum}', '${name.replaceAll("'", "''")}')`;
  const finished = `UPDATE public._prisma_migrations
    SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = '${id}'`;
  async function inTransaction(): Promise<void> {
    await run(`BEGIN;\n${begun}`);
    // The script comes first, because PostgreSQL counts the position of an error from the beginning.
    await run(`${script}\n;\n${RESET_ROLE};\n${finished};\nCOMMIT`);
  }
  // Readers and writers do not wait behind it. An aborted CREATE INDEX leaves an invalid index, and is not repeated.
  const isConcurrent = /\bCONCURRENTLY\b/i.test(script);
  async function alone(): Promise<void> {
    if (isConcurrent) await run('SET lock_timeout = 0');
    await run(script);
    await reset();
    await run(`${begun};\n${finished}`);
  }

  const inUse = `Migration ${name}: another transaction, such as a backup, uses a table`;
  const end = performance.now() + LOCK_RETRY_MS;
  let attempt = inTransaction;
  for (let isReported = false; ; ) {
    try {
      await reset();
      return await attempt();
    } catch (error) {
      await run('ROLLBACK').catch(() => {});
      // A script with a COMMIT of its own leaves an unfinished record, and must not be repeated.
      const isCommitted = (await query(`SELECT 1 FROM public._prisma_migrations WHERE id = '${id}'`)).length > 0;
      const code = isCommitted ? undefined : (error as { code?: string }).code;
      if (code === NOT_IN_TRANSACTION && attempt === inTransaction) attempt = alone;
      else if (!LOCK_FAILURES.has(code) || (isConcurrent && attempt === alone)) throw migrationError(migration, error);
      else if (performance.now() + LOCK_PAUSE_MS > end) {
        const remedy = 'End that transaction (pg_stat_activity lists it), or run `accord migrate` later.';
        throw new Error(`${inUse}, and did so for ${LOCK_RETRY_MS / 1000} s. ${remedy}`, { cause: error });
      } else {
        if (!isReported) console.warn(`${inUse}. Trying again for up to ${LOCK_RETRY_MS / 1000} s.`);
        isReported = true;
        await delay(LOCK_PAUSE_MS);
      }
    }
  }
}

export function migrationError({ name, script }: Migration, cause: unknown): Error {
  const { message, position } = cause as { message: string; position?: string };
  const line = position ? `:${script.slice(0, Number(position)).split('\n').length}` : '';
  return new Error(`Migration ${name} failed: prisma/migrations/${name}/migration.sql${line}: ${message}`, { cause });
}
