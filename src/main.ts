import { DatabaseNotOpened, faultOf, reasonOf } from './platform/database/faults.js';
import { openDatabase } from './platform/database/open.js';
import { patiently, telling } from './platform/database/patience.js';
import { ConfigError, readConfig } from './platform/server/config.js';
import { tryPort } from './platform/server/port.js';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  await tryPort(config);
  // PostgreSQL is compiled on another core while the modules of the service are loaded.
  const [database, { serve }] = await Promise.all([
    telling('Still opening the database.', () => patiently(() => openDatabase(config.DATABASE_URL))),
    import('./platform/server/serve.js'),
  ]);
  await serve(config, database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
}

/** What was thrown on purpose, by the database or by the system, is a sentence for the operator; a bug of ours shows its stack. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof DatabaseNotOpened) return error.message;
  // Of Prisma: a table, or a column, that is not there.
  if (error instanceof Error && 'code' in error && /^P202[12]$/.test(String(error.code))) {
    const missing = error.message.trim().split('\n').at(-1);
    return `This version does not fit the database, which a newer one may have migrated, or somebody changed: ${missing}`;
  }
  if (faultOf(error).kind !== 'unknown') return `The database failed meanwhile: ${reasonOf(error)}`;
  const isOfSystem =
    error instanceof Error && error.constructor === Error && (!('code' in error) || 'syscall' in error);
  return isOfSystem ? error.message : undefined;
}

main().catch((error: unknown) => {
  const sentence = sentenceOf(error);
  console.error(sentence === undefined ? error : `accord cannot start.\n${sentence}`);
  process.exit(1);
});
