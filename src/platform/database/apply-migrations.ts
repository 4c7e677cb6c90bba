import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Migration, type MigrationSession, migrationState, RESET_ROLE } from './migrations.js';

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

/** Milliseconds between two attempts to lock a table, in which the running instances work, and for all attempts. */
const LOCK_PAUSE_MS = 2000;
const LOCK_RETRY_MS = 60_000;

/** SQLSTATE of CREATE INDEX CONCURRENTLY and similar statements in a transaction. */
const NOT_IN_TRANSACTION = '25001';
/** SQLSTATE of the lock time-out, and of a deadlock with a request. */
const LOCK_FAILURES: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

/**
 * Applies the missing migrations in order. Instances that start together wait for each other.
 * @param mayApply false: rejects if migrations are missing
 * @returns the names of the migrations that were applied
 * @throws Error with the file and, if PostgreSQL reports it, the line
 */
export async function applyMigrations(
  session: MigrationSession,
  all: readonly Migration[],
  mayApply = true,
): Promise<string[]> {
  const { missing } = await migrationState(session, all, mayApply);
  if (missing.length === 0) return [];
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
  return now.missing.map(({ name }) => name);
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
