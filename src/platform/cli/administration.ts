import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { type AuditFilter, EVENTS } from '../audit/audit.js';
import { Refused } from '../calls/errors.js';
import { readAddress } from '../database/address.js';
import type { Administration, KeyEntry } from '../keys/administration.js';
import { runningServer } from '../server/admin-socket.js';
import { readConfig } from '../server/config.js';
import { table } from './output.js';
import type { Subcommand } from './subcommand.js';

/**
 * Runs an operator's command on the database that DATABASE_URL names, beside running servers: on PostgreSQL directly; on
 * the embedded database through the server that has its directory, or directly while there is none. What goes wrong is
 * a sentence and exit code 1.
 */
async function administer(work: (commands: Administration) => Promise<void>): Promise<void> {
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
      import('../keys/administration.js'),
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

const print = (keys: KeyEntry[]) => console.log(table(keys as never, ['kid', 'state', 'signsFrom', 'verifiesUntil']));

/** `accord keys list|rotate|retire`: the signing keys, beside running servers and without restarting them. */
export const keys: Subcommand = (command) => {
  command
    .command('list')
    .description('show the keys with their states: next, current, retired')
    .action(() => administer(async (commands) => print(await commands['keys.list']({}))));
  command
    .command('rotate')
    .description('publish a new key; it signs 310 seconds later, when no verifier keeps the old key set any more')
    .action(() => administer(async (commands) => print(await commands['keys.rotate']({}))));
  command
    .command('retire')
    .description('take a key out of use at once, for one that has leaked; its tokens are refused, their sockets closed')
    .argument('<kid>', 'the id of the key')
    .allowUnknownOption() // a thumbprint in base64url may begin with a dash: one of 64 does
    .action((kid: string) => administer(async (commands) => print(await commands['keys.retire']({ kid }))));
};

const COLUMNS = ['time', 'event', 'actor', 'subject', 'address', 'requestId'];

const integer = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is an integer of at least 1.');
};

const time = (text: string): string => {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('It is a time in ISO 8601.');
  return new Date(text).toISOString();
};

/** `accord audit`: the newest security events, the newest last. */
export const audit: Subcommand = (command) => {
  command
    .addOption(new Option('--event <event>', 'only these').choices(EVENTS))
    .option('--actor <id>', 'only what this user did', integer)
    .option('--subject <subject>', 'only what is about user:<id>, session:<id> or key:<kid>')
    .option('--since <time>', 'only from then on (ISO 8601)', time)
    .option('--limit <count>', 'how many at most', integer, 100)
    .option('--json', 'a line of JSON for each')
    .action(({ json, root: _root, ...filter }: AuditFilter & { json?: boolean; root?: string }) =>
      administer(async (commands) => {
        const entries = await commands['audit.read'](filter);
        console.log(json ? entries.map((one) => JSON.stringify(one)).join('\n') : table(entries as never, COLUMNS));
      }),
    );
};
