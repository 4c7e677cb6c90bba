import { Command, CommanderError, Option } from 'commander';
import { EXIT, Unable } from './output.js';
import type { Subcommand } from './subcommand.js';

/** One line for each subcommand. Its file is imported only when it is called, so that the others start quickly. */
const SUBCOMMANDS: Record<string, { summary: string; load: () => Promise<{ default: Subcommand }> }> = {
  audit: { summary: 'read the audit table', load: () => import('./audit.js') },
  bridge: {
    summary: 'hold openapi.yaml, schema.graphql and schema.prisma against each other',
    load: () => import('./bridge.js'),
  },
  build: { summary: 'make what a start needs and is not committed', load: () => import('./build.js') },
  codegen: {
    summary: 'generate typed operations and resolvers from the contracts',
    load: () => import('./codegen.js'),
  },
  coverage: { summary: 'show what of the contracts the tests have seen', load: () => import('./coverage.js') },
  dev: { summary: 'watch contracts and code, and keep the server running', load: () => import('./dev.js') },
  diff: {
    summary: 'tell what changed in the contracts since a git ref, and what it breaks',
    load: () => import('./diff.js'),
  },
  keys: { summary: 'list, rotate and retire the signing keys', load: () => import('./keys.js') },
  lint: { summary: 'look for what hurts in both contracts', load: () => import('./lint.js') },
  migrate: { summary: 'write a migration from prisma/schema.prisma', load: () => import('./migrate.js') },
  scaffold: {
    summary: 'write the stubs of what the contracts newly promise, and tell the next step',
    load: () => import('./scaffold.js'),
  },
  schema: { summary: 'print the GraphQL schema for tools', load: () => import('./schema.js') },
  start: { summary: 'run the service', load: () => import('./start.js') },
  trust: {
    summary: 'register the GraphQL documents that alone may run (TRUSTED_DOCUMENTS)',
    load: () => import('./trust.js'),
  },
};

/**
 * Runs the `accord` command. How it ended is in `process.exitCode`, see `EXIT`.
 * @param args what was typed after `accord`
 */
export async function accord(args: readonly string[]): Promise<void> {
  const program = new Command('accord')
    .description('Accord: two contracts, and what is made of them.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      writeErr: (text) => console.error(text.trimEnd()),
    })
    .addOption(new Option('--root <directory>', 'the project').default(process.cwd(), 'the current directory'));
  const called = args.find((argument) => argument in SUBCOMMANDS);
  for (const [name, { summary, load }] of Object.entries(SUBCOMMANDS)) {
    const command = program.command(name).description(summary);
    if (name === called) (await load()).default(command);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // What was typed wrong has been told; asking for help is right.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.unable;
    else if (error instanceof Unable) {
      console.error(error.message);
      process.exitCode = EXIT.unable;
    } else throw error;
  }
}
