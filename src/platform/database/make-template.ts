import { gzipSync } from 'node:zlib';
import { openEmbedded } from './embedded.js';
import type { Migration } from './migration-folder.js';
import { applyMigrations } from './migrations.js';
import { TIME_LIMITS } from './time-limits.js';

/**
 * What `templateOf` finds: a new embedded database that has had these migrations, as a tar under gzip. Rejects where one of them
 * fails there.
 */
export async function makeTemplate(migrations: readonly Migration[]): Promise<Buffer> {
  const { migrating, dump, close } = await openEmbedded(undefined, { migrations: [], limits: TIME_LIMITS });
  try {
    await migrating((session) => applyMigrations(session, migrations));
    return gzipSync(Buffer.from(await (await dump()).arrayBuffer()));
  } finally {
    await close();
  }
}
