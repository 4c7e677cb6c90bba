import { createHash } from 'node:crypto';
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

export const RESET_ROLE = 'RESET SESSION AUTHORIZATION; RESET ROLE';
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

/**
 * Returns the missing migrations, and the names of unknown ones that a newer version has applied: an update runs two versions side by
 * side.
 * @param isUnfinishedAllowed treats an unfinished migration as missing, because another instance may be running it
 * @throws Error for an applied migration that was edited, and for an unfinished one
 */
export async function migrationState(
  session: MigrationSession,
  all: readonly Migration[],
  isUnfinishedAllowed: boolean,
): Promise<{ missing: Migration[]; unknown: string[] }> {
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
