import { randomUUID } from 'node:crypto';
import type { Migration } from './migration-folder.js';
import type { MigrationSession } from './migration-session.js';

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
    throw explained(migration, error);
  }
}

/** Which migration PostgreSQL refused, where, and in its own words. */
export function explained({ name, script }: Migration, cause: unknown): Error {
  const { message, position } = cause as { message: string; position?: string };
  const line = position ? `:${script.slice(0, Number(position)).split('\n').length}` : '';
  return new Error(`Migration ${name} failed: prisma/migrations/${name}/migration.sql${line}: ${message}`, { cause });
}
