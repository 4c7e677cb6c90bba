import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { readGeneratedContract } from '../../core/contract/project-files.js';
import { useProject } from '../../root.js';
import { EXIT, fail, type Subcommand, type Subcommands } from './output.js';

/** Prints the GraphQL contract without a server. Exits 1 if the contract is invalid. */
const schema: Subcommand = (command) => {
  command.option('--json', 'print the result of an introspection query, for tools without SDL', false);
  command.action(async () => {
    const { json } = command.opts<{ json: boolean }>();
    const { buildSchema, introspectionFromSchema } = await import('../../core/graphql/documents.js');
    try {
      const { schema: text } = readGeneratedContract();
      const built = buildSchema(text);
      process.stdout.write(json ? `${JSON.stringify({ data: introspectionFromSchema(built) }, null, 2)}\n` : text);
    } catch (error) {
      fail(error);
    }
  });
};

/** Validates documents, and writes the manifest for `TRUSTED_DOCUMENTS`. Exits 1 without writing if one is invalid. */
const trust: Subcommand = (command) => {
  command.argument('<path...>', 'documents (.graphql), manifests (.json), or folders of them');
  command.option('--out <file>', 'the manifest to write', 'trusted-documents.json');
  command.action(async (paths: string[]) => {
    const { out } = command.opts<{ out: string }>();
    const { buildSchema, readTrusted } = await import('../../core/graphql/documents.js');
    try {
      const manifest = readTrusted(paths, buildSchema(readGeneratedContract().schema));
      if (manifest.size === 0) throw new Error('There is no document at these paths.');
      writeFileSync(out, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
      for (const [id, text] of manifest) console.log(`${id}  ${namesIn(text)}`);
    } catch (error) {
      fail(error);
    }
  });
};

const namesIn = (text: string): string =>
  [...text.matchAll(/\b(?:query|mutation|subscription)\s+(\w+)/g)].map(([, name]) => name).join(', ') || 'unnamed';

/** Loads a subcommand of `administration.ts`. */
const administration = (name: keyof typeof import('./administration.js')) => async () => ({
  default: (await import('./administration.js'))[name],
});

/** The commands of an operator, which a production install has as well. */
const OPERATOR: Subcommands = {
  accounts: { summary: 'reset the password of an account', load: administration('accounts') },
  audit: { summary: 'read the audit table', load: administration('auditTable') },
  database: { summary: 'tell the service that a backup was restored', load: administration('database') },
  keys: { summary: 'list, rotate and retire the signing keys', load: administration('keys') },
  migrate: { summary: 'apply the migrations of this version to the database', load: () => import('./migrate.js') },
  schema: { summary: 'print the GraphQL schema for tools', load: async () => ({ default: schema }) },
  sessions: { summary: 'end sessions', load: administration('sessions') },
  settings: {
    summary: 'make the settings of this process those of all instances',
    load: administration('settings'),
  },
  start: {
    summary: 'run the service',
    load: async () => {
      const { start } = await import('./built.js');
      return { default: (command) => void command.action(start) };
    },
  },
  trust: {
    summary: 'register the only GraphQL documents that may run (TRUSTED_DOCUMENTS)',
    load: async () => ({ default: trust }),
  },
};

const NEEDS_WORKBENCH =
  'This is a production install. The commands for contracts and code need the development dependencies: `npm ci`.';

/** The errors whose message is a sentence for the user, by name: importing their classes would slow every command down. */
const USER_ERRORS = ['Unable'];

/** The time after which a command on a terminal says that it is at work. */
const PROGRESS_DELAY_MS = 2000;

const SERVERS = ['start', 'dev'];

/**
 * Runs the `accord` command, and sets `process.exitCode` (`EXIT`).
 * @param args the arguments after `accord`
 * @param workbench the commands that a production install does not have
 */
export async function accord(args: readonly string[], workbench: Subcommands): Promise<void> {
  const all = Object.entries({ ...OPERATOR, ...workbench }).sort(([a], [b]) => a.localeCompare(b));
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
