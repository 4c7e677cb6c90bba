import { readMigrations } from '@accord-api/platform/internals/database/migrations';
import { type Database, openDatabase } from '@accord-api/platform/internals/database/open';
import { templateOf } from '@accord-api/platform/internals/database/template';

/**
 * Milliseconds that a machine which is busy with other things may take over the work of a case. The usual limits have cases of
 * their own.
 */
export const PATIENT = { connect: 120_000, answer: 120_000, transaction: 120_000 };

let migrated: Promise<Blob> | undefined;

/** What the migrations of the project make of an embedded database: as it was built, or else done once in a process; and copied. */
async function migratedOnce(): Promise<Blob> {
  const migrations = readMigrations();
  const built = await templateOf(migrations);
  if (migrations.length > 0 && built.migrated.length === migrations.length) return new Blob([built.archive]);
  const database = await openDatabase('pglite://memory', { limits: PATIENT });
  return database.dump().finally(database.close);
}

/** A fresh embedded database in memory, with the tables of the project and nothing in them. */
export async function freshDatabase(): Promise<Database> {
  migrated ??= migratedOnce();
  return openDatabase('pglite://memory', { snapshot: await migrated, limits: PATIENT });
}

/** Tables of the project, but for the list of its migrations. */
const TABLES = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema$)' AND c.relname <> '_prisma_migrations'`;
/** Whether a migration has put rows into one, which cannot be told from those of a test later. */
const FILLED = `SELECT EXISTS (SELECT FROM ${TABLES} AND pg_relation_size(c.oid) > 0) AS filled`;
/** As a replica, for there is a table whose trigger refuses it. */
const EMPTY = `DO $$ BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I.%I', n.nspname, c.relname), ', ') || ' RESTART IDENTITY' FROM ${TABLES});
END $$`;

/** Fresh databases, one after the other: each is to be closed before the next is opened. */
export interface Succession {
  open: () => Promise<Database>;
  /** Ends the last one. */
  close: () => Promise<void>;
}

/**
 * The same, on one engine where that can be, for to start one is a second's work and to empty it a hundredth of that. Rows are all
 * that a service writes: one that creates tables while it runs is to be given databases of its own (`open`).
 * @param fresh makes the first; and every other, where the migrations leave rows
 */
export function successiveDatabases(fresh = freshDatabase): Succession {
  let shared: Promise<Database | undefined> | undefined;
  const begin = async (): Promise<Database | undefined> => {
    const database = await fresh();
    const [found] = await database.client.$queryRawUnsafe<{ filled: boolean }[]>(FILLED);
    if (found?.filled === false) return database;
    await database.close();
    return undefined;
  };
  return {
    async open() {
      const isFirst = shared === undefined;
      shared ??= begin();
      const database = await shared;
      if (database === undefined) return fresh();
      if (!isFirst) await database.client.$executeRawUnsafe(EMPTY);
      return { ...database, close: async () => {} };
    },
    close: async () => (await shared)?.close(),
  };
}
