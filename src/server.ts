import { ConfigError, readConfig } from './config.js';
import { DatabaseNotOpened } from './database/faults.js';
import { openDatabase } from './database/open.js';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  // PostgreSQL is compiled on another core while the modules of the service are loaded.
  const [database, { serve }] = await Promise.all([openDatabase(config.DATABASE_URL), import('./serve.js')]);
  await serve(config, database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
}

/** What was thrown on purpose, or by the system, is a sentence for the operator; a bug of ours shows its stack. */
const isSentence = (error: unknown): error is Error =>
  error instanceof ConfigError ||
  error instanceof DatabaseNotOpened ||
  (error instanceof Error && error.constructor === Error && (!('code' in error) || 'syscall' in error));

main().catch((error: unknown) => {
  console.error(isSentence(error) ? `accord cannot start.\n${error.message}` : error);
  process.exit(1);
});
