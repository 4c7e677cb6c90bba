import type { Config } from '../../core/variables.js';
import { retryWhileUnavailable } from '../../database/faults.js';
import { openMigrated } from '../../database/open-migrated.js';
import { readConfig } from '../config.js';
import { fail, type Subcommand } from './output.js';

/** Reads the variables of the database only: a job that migrates needs no secret of the service. */
const readDatabaseConfig = (environment: NodeJS.ProcessEnv): Config =>
  readConfig(Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('DATABASE_'))));

/** Applies the missing migrations, for services that start with MIGRATE_ON_START=off. Exits 1 if one fails. */
export async function applyMissingMigrations(): Promise<void> {
  try {
    const { DATABASE_URL, DATABASE_DIRECT_URL: direct } = readDatabaseConfig(process.env);
    const { address, backend, migrated } = await retryWhileUnavailable(() => openMigrated(DATABASE_URL, { direct }));
    await backend.close();
    const result = migrated.length > 0 ? `Applied ${migrated.join(', ')}` : 'All migrations are applied';
    console.log(`${address.label}: ${result}.`);
  } catch (error) {
    fail(error);
  }
}

const migrate: Subcommand = (command) => {
  command.action(applyMissingMigrations);
};

export default migrate;
