import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationError } from '@accord-api/platform/database/apply-migrations';
import { createMemoryDatabase, embeddedPool } from '@accord-api/platform/database/embedded';
import {
  type Migration,
  migrationsFolder,
  RESET_SESSION,
  readMigrations,
} from '@accord-api/platform/database/migrations';
import { rootPath } from '@accord-api/platform/root';
import type { PGlite } from '@electric-sql/pglite';
import { migrationFilters, migrationList, schemaEngine } from './migration-engine.js';

interface Sources {
  /** By default prisma/migrations and prisma/schema.prisma of the project. */
  folder?: string;
  schema?: string;
}

/**
 * Writes the next migration as <timestamp>_<name>/migration.sql, and returns its path; undefined if nothing has changed. A renamed
 * column results in a dropped and an added one.
 * @param now the time in the name
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

/** Returns a description of the difference between the migrations and schema.prisma; undefined if there is none. */
export const checkMigrations = (sources: Sources = {}): Promise<string | undefined> => difference(sources, false);

/** Runs the migrations in an empty database in memory, and compares the result. */
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
      filters: migrationFilters,
    });
    engine.free();
    return exitCode === 0 ? undefined : (stdout ?? '');
  } catch (error) {
    // The engine hides the message of PostgreSQL. Running the scripts without the engine shows it.
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
      await empty.exec(RESET_SESSION);
      await empty.exec(migration.script).catch((error: unknown) => {
        throw migrationError(migration, error);
      });
    }
  } finally {
    await empty.close();
  }
}
