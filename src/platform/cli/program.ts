import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { useProject } from '../root.js';
import { EXIT } from './output.js';
import type { Subcommands } from './subcommand.js';

const administration = () => import('./administration.js');
const graphql = () => import('./graphql.js');

/** The commands of an operator, which a production install has as well. */
const OPERATOR: Subcommands = {
  audit: { summary: 'read the audit table', load: async () => ({ default: (await administration()).audit }) },
  keys: {
    summary: 'list, rotate and retire the signing keys',
    load: async () => ({ default: (await administration()).keys }),
  },
  migrate: { summary: 'apply the migrations of this version to the database', load: () => import('./migrate.js') },
  schema: { summary: 'print the GraphQL schema for tools', load: async () => ({ default: (await graphql()).schema }) },
  start: { summary: 'run the service', load: () => import('./start.js') },
  trust: {
    summary: 'register the only GraphQL documents that may run (TRUSTED_DOCUMENTS)',
    load: async () => ({ default: (await graphql()).trust }),
  },
};

const NEEDS_WORKBENCH =
  'This is a production install. The commands for contracts and code need the development dependencies: `npm ci`.';

/** The errors whose message is a sentence for the user, by name: importing their classes would slow every command down. */
const USER_ERRORS = ['Unable', 'NoSuchVersion'];

/** The time after which a command on a terminal says that it is at work. */
const PROGRESS_DELAY_MS = 2000;

const SERVERS = ['start', 'dev'];

/**
 * Runs the `accord` command, and sets `process.exitCode` (`EXIT`).
 * @param args the arguments after `accord`
 * @param workbench the commands that a production install does not have
 */
export async function accord(args: readonly string[], workbench: Subcommands): Promise<void> {
  const all = Object.entries({ ...OPERATOR, ...workbench }).sort(([one], [other]) => one.localeCompare(other));
  const root = new Option('--root <directory>', 'the project').argParser((path) => resolve(path));
  const program = new Command('accord')
    .description('Accord: two contracts, and the service that keeps them.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      writeErr: (text) => console.error(text.trimEnd()),
    })
    .addOption(root.default(process.cwd(), 'the current directory'));
  program.hook('preAction', () => {
    const isNamed = program.getOptionValueSource('root') === 'cli';
    useProject(isNamed ? program.opts<{ root: string }>().root : undefined);
  });
  const called = args.find((argument) => all.some(([name]) => name === argument));
  for (const [name, { summary, load }] of all) {
    const command = program.command(name).description(summary);
    if (name === called) (await load()).default(command);
  }
  const showsProgress = called !== undefined && !SERVERS.includes(called) && process.stderr.isTTY;
  const timer = showsProgress && setTimeout(() => console.error(`accord ${called} is at work …`), PROGRESS_DELAY_MS);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { name, message } = error as Error;
    if (error instanceof CommanderError) {
      // Commander has printed its error. Help ends with the exit code 0.
      if (error.code === 'commander.unknownCommand' && !('diff' in workbench)) console.error(NEEDS_WORKBENCH);
      process.exitCode = error.exitCode === 0 ? 0 : EXIT.unable;
    } else if (USER_ERRORS.includes(name)) {
      console.error(message);
      process.exitCode = EXIT.unable;
    } else throw error;
  } finally {
    if (timer) clearTimeout(timer);
  }
}
