import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootPath } from '../root.js';

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
