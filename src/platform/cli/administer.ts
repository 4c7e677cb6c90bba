import { existsSync } from 'node:fs';
import type { Administration } from '../accounts/administration.js';
import { Refused } from '../calls/errors.js';
import { readAddress } from '../database/address.js';
import { runningServer } from '../server/admin-socket.js';
import { readConfig } from '../server/config.js';

/**
 * Runs an operator's command on the database that DATABASE_URL names, beside running servers: on PostgreSQL directly; on
 * the embedded database through the server that has its directory, or directly while there is none. What goes wrong is
 * a sentence and exit code 1.
 */
export async function administer(work: (commands: Administration) => Promise<void>): Promise<void> {
  try {
    const config = readConfig(process.env);
    const address = readAddress(config.DATABASE_URL);
    const directory = address.kind === 'embedded' ? address.directory : undefined;
    if (address.kind === 'embedded' && directory === undefined) {
      throw new Refused('DATABASE_URL: a database in memory is known to its own server only.');
    }
    if (directory !== undefined && !existsSync(directory)) throw new Refused(`There is no ${address.label}.`);
    const running = directory === undefined ? undefined : await runningServer(directory);
    if (running) return await work(running);
    // Half of what a command takes is to load these, and a running server has them already.
    const [{ openDatabase }, { administration }] = await Promise.all([
      import('../database/open.js'),
      import('../accounts/administration.js'),
    ]);
    const database = await openDatabase(config.DATABASE_URL);
    const { JWT_ALGORITHM: algorithm, KEY_SECRET: keySecrets = [] } = config;
    const commands = administration({ client: database.client, algorithm, keySecrets, now: Date.now });
    await work(commands).finally(database.close);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
