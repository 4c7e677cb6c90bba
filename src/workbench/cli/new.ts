import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { PACKAGES } from '../new/new.js';

const DESCRIPTION =
  'Writes a project with both contracts: accounts, logins and one resource over REST, GraphQL and a live stream, with tests, a database, CI and a container image. All files are yours to edit, except generated/.';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Returns the dependencies on Accord: tarballs of a folder, or this version and later compatible ones. */
function packagesIn(folder: string | undefined, names: typeof PACKAGES) {
  const sourceOf = (name: string) => {
    if (folder === undefined) return `^${version}`;
    const path = resolve(folder, `accord-api-${name}-${version}.tgz`);
    if (existsSync(path)) return `file:${path}`;
    throw new Unable(`There is no ${path}. \`npm run pack -- <folder>\` in the repository of Accord writes it.`);
  };
  return Object.fromEntries(names.map((name) => [name, sourceOf(name)])) as Record<(typeof names)[number], string>;
}

const newCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION)
    .argument('<directory>', 'a new or empty directory for the project')
    .option('--name <name>', 'the name of the application (default: the name of the directory)')
    .option('--packages <folder>', 'install Accord from the tarballs in this folder, not from the registry')
    .action(async (directory: string, { name, packages }: { name?: string; packages?: string }) => {
      const { nameFor, PACKAGES, writeProject } = await import('../new/new.js');
      const target = resolve(directory);
      await writeProject(target, nameFor(directory, name), packagesIn(packages, PACKAGES));
      const folder = relative(process.cwd(), target) || '.';
      console.log(
        `Written: ${folder}\n\n  cd ${folder}\n  npm install\n  npm start\n\nIts README.md explains the files.`,
      );
    });
};

export default newCommand;
