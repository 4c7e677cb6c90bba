import { Command, CommanderError, Option } from 'commander';
import { useProject } from '../root.js';
import { EXIT } from './output.js';
import type { Subcommands } from './subcommand.js';

const administration = () => import('./administration.js');
const graphql = () => import('./graphql.js');

/** The commands of an operator, which an installation without development dependencies has as well. */
const OPERATOR: Subcommands = {
  audit: { summary: 'read the audit table', load: async () => ({ default: (await administration()).audit }) },
  keys: {
    summary: 'list, rotate and retire the signing keys',
    load: async () => ({ default: (await administration()).keys }),
  },
  schema: { summary: 'print the GraphQL schema for tools', load: async () => ({ default: (await graphql()).schema }) },
  start: { summary: 'run the service', load: () => import('./start.js') },
  trust: {
    summary: 'register the GraphQL documents that alone may run (TRUSTED_DOCUMENTS)',
    load: async () => ({ default: (await graphql()).trust }),
  },
};

/** What is said of a command that an installation for production lacks. */
const LACKING =
  'This installation is for production. What works on contracts and code needs the development dependencies: `npm ci`.';

/** Errors whose message is a sentence for whoever typed the command: ours, and what the tools lack. By name, for these are loaded late. */
const SENTENCES = ['Unable', 'NoContracts', 'NoSuchVersion', 'NoSuchCommit'];

/**
 * Runs the `accord` command. How it ended is in `process.exitCode`, see `EXIT`.
 * @param args what was typed after `accord`
 * @param workbench what an installation without development dependencies lacks
 */
export async function accord(args: readonly string[], workbench: Subcommands): Promise<void> {
  const all = Object.entries({ ...OPERATOR, ...workbench }).sort(([one], [other]) => one.localeCompare(other));
  const program = new Command('accord')
    .description('Accord: two contracts, and what is made of them.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      writeErr: (text) => console.error(text.trimEnd()),
    })
    .addOption(new Option('--root <directory>', 'the project').default(process.cwd(), 'the current directory'));
  // What a command loads of the platform asks for the project, too.
  program.hook('preAction', () => {
    const isNamed = program.getOptionValueSource('root') === 'cli';
    useProject(isNamed ? program.opts<{ root: string }>().root : undefined);
  });
  const called = args.find((argument) => all.some(([name]) => name === argument));
  for (const [name, { summary, load }] of all) {
    const command = program.command(name).description(summary);
    if (name === called) (await load()).default(command);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // What was typed wrong has been told; asking for help is right.
    if (error instanceof CommanderError && error.code === 'commander.unknownCommand' && !('diff' in workbench))
      console.error(LACKING);
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.unable;
    else if (SENTENCES.includes((error as Error).name)) {
      console.error((error as Error).message);
      process.exitCode = EXIT.unable;
    } else throw error;
  }
}
