import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { PACKAGES } from '../new/new.js';

const DESCRIPTION = `
Writes a project that is served by Accord: both contracts with accounts, logins and one resource over REST, GraphQL and a live
stream, and all that makes it run, tested and shipped. It is yours; nothing of it is generated but generated/.`;

interface Options {
  name?: string;
  packages?: string;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What npm is to install: the packages of a folder, by their path; else this version, or a later one that goes with it. */
function packagesIn(folder: string | undefined, names: typeof PACKAGES) {
  const sourceOf = (name: string) => {
    if (folder === undefined) return `^${version}`;
    const path = resolve(folder, `accord-api-${name}-${version}.tgz`);
    if (existsSync(path)) return `file:${path}`;
    throw new Unable(`There is no ${path}. \`npm run pack -- <folder>\` in the repository of Accord writes it.`);
  };
  return Object.fromEntries(names.map((name) => [name, sourceOf(name)])) as Record<(typeof names)[number], string>;
}

/** `accord new <directory>`: exits 2, and writes nothing, where something is there already. */
const newCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .argument('<directory>', 'where to write it: a directory that is not there yet, or is empty')
    .option('--name <name>', 'what the application is called (default: as the directory)')
    .option('--packages <folder>', 'install Accord from the tarballs in this folder, in place of the registry')
    .action(async (directory: string, { name: chosen, packages }: Options) => {
      const { NoNewProject, nameFor, PACKAGES, writeProject } = await import('../new/new.js');
      try {
        const name = nameFor(directory, chosen);
        await writeProject({ directory: resolve(directory), name, packages: packagesIn(packages, PACKAGES) });
      } catch (error) {
        if (error instanceof NoNewProject) throw new Unable(error.message);
        throw error;
      }
      const folder = relative(process.cwd(), resolve(directory)) || '.';
      console.log(
        `Written: ${folder}\n\n  cd ${folder}\n  npm install\n  npm start\n\nREADME.md there says what is what.`,
      );
    });
};

export default newCommand;
