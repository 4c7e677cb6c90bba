import { templateOf } from '@accord-api/platform/internals/database/data-directory';
import { readMigrations } from '@accord-api/platform/internals/database/migrations';
import { type Database, openDatabase } from '@accord-api/platform/internals/database/open';

/** Milliseconds. Tests of the usual limits set their own, so that no other test depends on the speed of the machine. */
export const TEST_TIMEOUTS_MS = { connect: 120_000, answer: 120_000, transaction: 120_000 };

let migrated: Promise<Blob> | undefined;

/** Returns a dump of a migrated database: the prebuilt template, or one that is made once per process. */
async function migratedDatabase(): Promise<Blob> {
  const migrations = readMigrations();
  const built = await templateOf(migrations);
  if (migrations.length > 0 && built.migrated.length === migrations.length) return new Blob([built.archive]);
  const database = await openDatabase('pglite://memory', { limits: TEST_TIMEOUTS_MS });
  return database.dump().finally(database.close);
}

export async function freshDatabase(): Promise<Database> {
  migrated ??= migratedDatabase();
  return openDatabase('pglite://memory', { snapshot: await migrated, limits: TEST_TIMEOUTS_MS });
}

const TABLES = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema$)' AND c.relname <> '_prisma_migrations'`;
const HAS_ROWS = `SELECT EXISTS (SELECT FROM ${TABLES} AND pg_relation_size(c.oid) > 0) AS filled`;
/** The replica role skips the triggers that forbid TRUNCATE. */
const TRUNCATE = `DO $$ BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I.%I', n.nspname, c.relname), ', ') || ' RESTART IDENTITY' FROM ${TABLES});
END $$`;

/**
 * Opens one database after the other, on one engine unless the migrations insert rows: truncating is a hundred times faster than a
 * start.
 */
export function successiveDatabases(fresh = freshDatabase) {
  let shared: Promise<Database | undefined> | undefined;
  const openShared = async (): Promise<Database | undefined> => {
    const database = await fresh();
    const [found] = await database.client.$queryRawUnsafe<{ filled: boolean }[]>(HAS_ROWS);
    if (found?.filled === false) return database;
    await database.close();
    return undefined;
  };
  return {
    /** Opens an empty database. Close it before the next one is opened. */
    async open(): Promise<Database> {
      const isFirst = shared === undefined;
      shared ??= openShared();
      const database = await shared;
      if (database === undefined) return fresh();
      if (!isFirst) await database.client.$executeRawUnsafe(TRUNCATE);
      return { ...database, close: async () => {} };
    },
    close: async () => (await shared)?.close(),
  };
}
