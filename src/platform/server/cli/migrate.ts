import { retryWhileUnavailable } from '../../database/faults.js';
import { openMigrated } from '../../database/open-migrated.js';
import { readDatabaseConfig } from '../config.js';
import type { Subcommand } from './output.js';

/** Applies the missing migrations, for services that start with MIGRATE_ON_START=off. Exits 1 if one fails. */
export async function applyMissingMigrations(): Promise<void> {
  try {
    const { DATABASE_URL, DATABASE_DIRECT_URL: direct } = readDatabaseConfig(process.env);
    const { address, backend, migrated } = await retryWhileUnavailable(() => openMigrated(DATABASE_URL, { direct }));
    await backend.close();
    const result = migrated.length > 0 ? `Applied ${migrated.join(', ')}` : 'All migrations are applied';
    console.log(`${address.label}: ${result}.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

const migrate: Subcommand = (command) => {
  command.action(applyMissingMigrations);
};

export default migrate;
