import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';

const PACKAGES = ['platform', 'testing', 'workbench'] as const;

/** A complete project. File names that npm or git would read as this repository's have an underscore before them. */
const TEMPLATE = fileURLToPath(new URL('../new/template/', import.meta.url));

/** The comments that mark the example resource, whose lines a test counts. */
const MARKS = /^ *(?:#|\/\/|--|<!--) <\/?books>(?: -->)?\n/gm;

/** A name from which the platform makes names of cookies, tokens and signals (`namesOf`). */
const NAME = /^(?=.{2,20}$)[a-z][a-z0-9]+(-[a-z0-9]+)*$/;

/** @throws Unable if the name of the directory is unsuitable */
function nameFor(directory: string, chosen?: string): string {
  const words = basename(resolve(directory))
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = chosen ?? words.filter(Boolean).join('-');
  if (NAME.test(name)) return name;
  throw new Unable(
    `"${name}" is no name for an application: it needs 2 to 20 lower-case letters, digits and single hyphens, a letter first. Choose one with --name.`,
  );
}

/** Returns the title for a name: `Book Club` for `book-club`. */
const titleFor = (name: string) =>
  name.replaceAll(/(^|-)(\w)/g, (_, before, letter) => (before && ' ') + letter.toUpperCase());

/** Refuses a directory with content. An empty git repository is fine. */
async function requireEmpty(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) throw new Unable(`${directory} is a file. Nothing was written.`);
  const [first] = (await readdir(directory)).filter((name) => name !== '.git');
  if (first !== undefined)
    throw new Unable(`${directory} is not empty (it contains ${first}). Nothing was written: name another directory.`);
}

/**
 * Returns the files of a project by path.
 * @param words texts of the template, and their replacements
 */
export async function projectFiles(
  words: readonly (readonly [from: string, to: string])[],
): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const template = (await readFile(path, 'utf8')).replaceAll(MARKS, '');
    const text = words.reduce((replaced, [from, to]) => replaced.replaceAll(from, to), template);
    files.set(
      path
        .slice(TEMPLATE.length)
        .replace(/^_gitignore$/, '.gitignore')
        .replace(/^_/, ''),
      text,
    );
  }
  return files;
}

export async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

/**
 * Writes a new project.
 * @param packages the versions or tarballs of the packages
 * @throws Unable for a directory that is not empty
 */
async function writeProject(
  directory: string,
  name: string,
  packages: Readonly<Record<(typeof PACKAGES)[number], string>>,
): Promise<void> {
  await requireEmpty(directory);
  const words: [string, string][] = [
    ['my-api', name],
    ['my_api', name.replaceAll('-', '_')],
    ['My API', titleFor(name)],
    ['<year>', String(new Date().getFullYear())],
    ...PACKAGES.map((one): [string, string] => [`<${one}>`, packages[one]]),
  ];
  await writeFiles(directory, await projectFiles(words));
  // npm packages files without their executable bit.
  await chmod(join(directory, '.ci', 'run'), 0o755);
}

const DESCRIPTION =
  'Writes a project with both contracts: accounts, logins and one resource over REST, GraphQL and a live stream, with tests, a database, CI and a container image. All files are yours to edit, except generated/.';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Returns the dependencies on Accord: tarballs of a folder, or this version and later compatible ones. */
function packagesIn(folder: string | undefined) {
  const sourceOf = (name: string) => {
    if (folder === undefined) return `^${version}`;
    const path = resolve(folder, `accord-api-${name}-${version}.tgz`);
    if (existsSync(path)) return `file:${path}`;
    throw new Unable(`There is no ${path}. \`npm run pack -- <folder>\` in the repository of Accord writes it.`);
  };
  return Object.fromEntries(PACKAGES.map((name) => [name, sourceOf(name)])) as Record<
    (typeof PACKAGES)[number],
    string
  >;
}

const newCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION)
    .argument('<directory>', 'a new or empty directory for the project')
    .option('--name <name>', 'the name of the application (default: the name of the directory)')
    .option('--packages <folder>', 'install Accord from the tarballs in this folder, not from the registry')
    .action(async (directory: string, { name, packages }: { name?: string; packages?: string }) => {
      const target = resolve(directory);
      await writeProject(target, nameFor(directory, name), packagesIn(packages));
      const folder = relative(process.cwd(), target) || '.';
      console.log(
        `Written: ${folder}\n\n  cd ${folder}\n  npm install\n  npm start\n\nIts README.md explains the files.`,
      );
    });
};

export default newCommand;
