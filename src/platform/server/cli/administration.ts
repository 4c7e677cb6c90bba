import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../../core/calls/errors.js';
import type { Config } from '../../core/variables.js';
import { readAddress } from '../../database/address.js';
import { AUDITED_EVENTS, type AuditFilter } from '../../parts/identity/audit/audit.js';
import type { Administration, KeyEntry } from '../../parts/identity/keys/administration.js';
import { runningServer } from '../admin-socket.js';
import { readConfig } from '../config.js';
import { fail, type Subcommand, table } from './output.js';

/**
 * Runs a command of an operator on the database of DATABASE_URL. Only one process can open an embedded database, so a
 * running server executes the command for it. Prints the message of an error, and sets the exit code 1.
 */
async function runCommand(work: (commands: Administration, config: Config) => Promise<void>): Promise<void> {
  try {
    const config = readConfig(process.env);
    const address = readAddress(config.DATABASE_URL);
    const directory = address.kind === 'embedded' ? address.directory : undefined;
    if (address.kind === 'embedded' && directory === undefined) {
      throw new CommandError('DATABASE_URL: a database in memory is accessible to its own server only.');
    }
    if (directory !== undefined && !existsSync(directory)) throw new CommandError(`There is no ${address.label}.`);
    const running = directory === undefined ? undefined : await runningServer(directory);
    if (running) return await work(running, config);
    // These modules take half of the time of a command, and a running server has loaded them.
    const [{ openDatabase }, { administration }] = await Promise.all([
      import('../../database/open.js'),
      import('../../parts/identity/keys/administration.js'),
    ]);
    const database = await openDatabase(config.DATABASE_URL, {
      direct: config.DATABASE_DIRECT_URL,
      migrate: config.MIGRATE_ON_START,
      client: () => 'prisma',
    });
    const { JWT_ALGORITHM: algorithm, KEY_SECRET: keySecrets = [] } = config;
    const commands = administration({ ...database, algorithm, keySecrets, now: database.clock.now });
    await work(commands, config).finally(database.close);
  } catch (error) {
    fail(error);
  }
}

const print = (keys: KeyEntry[]) => console.log(table(keys as never, ['kid', 'state', 'signsFrom', 'verifiesUntil']));

export const keys: Subcommand = (command) => {
  command
    .command('list')
    .description('show the keys with their states: next, current, retired')
    .action(() => runCommand(async (commands) => print(await commands['keys.list']({}))));
  command
    .command('rotate')
    .description('publish a new key; it signs 310 seconds later, when no verifier has the old key set any more')
    .action(() => runCommand(async (commands) => print(await commands['keys.rotate']({}))));
  command
    .command('retire')
    .description('withdraw a leaked key immediately; its tokens are rejected, and their sockets closed')
    .argument('<kid>', 'the id of the key')
    .allowUnknownOption() // One in 64 thumbprints in base64url begins with a hyphen.
    .action((kid: string) => runCommand(async (commands) => print(await commands['keys.retire']({ kid }))));
};

export const settings: Subcommand = (command) => {
  command
    .command('accept')
    .description('make the settings of this process those of all instances on the database')
    .action(() =>
      runCommand(async (commands, config) => {
        const { settingCodes } = await import('../../parts/identity/keys/fleet-settings.js');
        const names = await commands['settings.accept']({ codes: settingCodes(config) });
        console.log(`Accepted${names.length > 0 ? `, with other values than before: ${names.join(', ')}` : ''}.`);
      }),
    );
};

export const database: Subcommand = (command) => {
  command
    .command('restored')
    .description('after a backup was restored: invalidate what was given out since the backup')
    .option('--again', 'even if a restore was noticed within the last hour')
    .action((options: { again?: boolean }) =>
      runCommand(async (commands) => {
        const { generation, raised } = await commands['database.restored'](options);
        console.log(
          raised === null
            ? `Nothing has changed: the restore was noticed already, and the generation is ${generation}. After another restore give --again.`
            : `The generation is ${generation}. What was given out before is invalid, and ${raised} sequences leave out ids.`,
        );
      }),
    );
};

const COLUMNS = ['time', 'event', 'actor', 'subject', 'address', 'requestId'];

const integer = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an integer of at least 1.');
};

const time = (text: string): string => {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('It must be a time in ISO 8601.');
  return new Date(text).toISOString();
};

export const auditTable: Subcommand = (command) => {
  command
    .addOption(new Option('--event <event>', 'only events of this kind').choices(AUDITED_EVENTS))
    .option('--actor <id>', 'only actions of this user', integer)
    .option('--subject <subject>', 'only events about user:<id>, session:<id> or key:<kid>')
    .option('--since <time>', 'only events since this time (ISO 8601)', time)
    .option('--limit <count>', 'the maximum number of events', integer, 100)
    .option('--json', 'print a line of JSON for each event')
    .action(({ json, root: _root, ...filter }: AuditFilter & { json?: boolean; root?: string }) =>
      runCommand(async (commands) => {
        const entries = await commands['audit.read'](filter);
        console.log(json ? entries.map((entry) => JSON.stringify(entry)).join('\n') : table(entries as never, COLUMNS));
      }),
    );
};

export const accounts: Subcommand = (command) => {
  command
    .command('reset')
    .description('set a new random password and print it; ends all sessions, access tokens and waits of the account')
    .argument('<email>', 'the e-mail address of the account')
    .action((email: string) =>
      runCommand(async (commands) => {
        const { id, password } = await commands['accounts.reset']({ email });
        console.error(
          `The password of user ${id} is new, and is shown only once. The sessions of the account have ended.`,
        );
        console.log(password);
      }),
    );
};

export const sessions: Subcommand = (command) => {
  command
    .command('revoke')
    .description('end the sessions of an account with its access tokens, or one session')
    .argument('<account or session>', 'an e-mail address or the id of a session, whose access token lives 15 minutes')
    .action((of: string) =>
      runCommand(async (commands) => {
        const { ended } = await commands['sessions.end']({ of });
        console.log(`Ended sessions: ${ended}.`);
      }),
    );
};
