import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMemoryDatabase, embeddedPool } from '@accord-api/platform/database/embedded';
import { filters, migrationList, schemaEngine } from '@accord-api/platform/database/migration-engine';
import {
  type Migration,
  migrationError,
  migrationsFolder,
  readMigrations,
} from '@accord-api/platform/database/migrations';
import { rootPath } from '@accord-api/platform/root';
import type { PGlite } from '@electric-sql/pglite';

interface Sources {
  /** Defaults to the package's prisma/migrations and prisma/schema.prisma. */
  folder?: string;
  schema?: string;
}

/**
 * Writes the migration that leads from the folder's migrations to schema.prisma, as <timestamp>_<name>/migration.sql, and
 * returns its path; undefined, and nothing written, when nothing has changed. Review the SQL: a renamed column looks like
 * one dropped and one added. `now`: the time its name carries.
 */
export async function createMigration(
  name: string,
  sources: Sources = {},
  now = new Date(),
): Promise<string | undefined> {
  const script = await difference(sources, true);
  if (script === undefined) return undefined;
  const folder = sources.folder ?? migrationsFolder();
  const stamp = now.toISOString().replace(/\D/g, '').slice(0, 14);
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  const path = join(folder, words ? `${stamp}_${words}` : stamp, 'migration.sql');
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, script, { flag: 'wx' });
  return path;
}

/** Whether the migrations give exactly schema.prisma: undefined when they do, else what differs, for people. */
export const checkMigrations = (sources: Sources = {}): Promise<string | undefined> => difference(sources, false);

/** Replays the migrations in an empty in-memory database and compares what comes out. */
async function difference({ folder, schema }: Sources, script: boolean): Promise<string | undefined> {
  const migrations = readMigrations(folder);
  const content = await readFile(schema ?? rootPath('prisma', 'schema.prisma'), 'utf8');
  const empty = await createMemoryDatabase();
  try {
    const engine = await schemaEngine(embeddedPool(empty));
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationList(migrations) },
      to: { tag: 'schemaDatamodel', files: [{ path: 'prisma/schema.prisma', content }] },
      script,
      exitCode: true,
      filters,
    });
    engine.free();
    return exitCode === 0 ? undefined : (stdout ?? '');
  } catch (error) {
    // The engine hides what PostgreSQL said of a script; replaying it without the engine tells.
    if (!/External error/.test(String(error))) throw error;
    await replay(migrations, await createMemoryDatabase());
    throw error;
  } finally {
    await empty.close();
  }
}

async function replay(migrations: Migration[], empty: PGlite): Promise<void> {
  try {
    for (const migration of migrations) {
      await empty.exec(migration.script).catch((error: unknown) => {
        throw migrationError(migration, error);
      });
    }
  } finally {
    await empty.close();
  }
}
