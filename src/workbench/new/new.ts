import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { projectFiles } from './template.js';

/** What cannot be done where it was asked for; the message is a sentence for whoever asked. */
export class NoNewProject extends Error {
  override readonly name = 'NoNewProject';
}

/** The packages of the scope `@accord-api` that a project installs. */
export const PACKAGES = ['platform', 'testing', 'workbench'] as const;

interface NewProject {
  directory: string;
  /** What the application is called; see `nameFor`. */
  name: string;
  /** The versions or tarballs of the packages, by their names without the scope. */
  packages: Readonly<Record<(typeof PACKAGES)[number], string>>;
}

/** What CI runs; npm forgets that it is a program. */
const RUN = join('.ci', 'run');

/** The platform makes cookies, tokens and signals of a name, and holds it to this. */
const NAME = /^(?=.{2,20}$)[a-z][a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The name for a project in a directory.
 * @throws NoNewProject where the directory's own cannot be made one
 */
export function nameFor(directory: string, chosen?: string): string {
  const words = basename(resolve(directory))
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = chosen ?? words.filter(Boolean).join('-');
  if (NAME.test(name)) return name;
  throw new NoNewProject(
    `"${name}" cannot be the name of an application: 2 to 20 lower-case letters, digits and single hyphens, a letter first. Choose one with --name.`,
  );
}

/** For people: `book-club` is the Book Club. */
const titleFor = (name: string) =>
  name.replaceAll(/(^|-)(\w)/g, (_, before, letter) => (before && ' ') + letter.toUpperCase());

/** What has begun already is left alone; a repository without a file has not begun. */
async function refuseBegun(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) throw new NoNewProject(`${directory} is a file. Nothing was written.`);
  const [first] = (await readdir(directory)).filter((name) => name !== '.git');
  if (first !== undefined)
    throw new NoNewProject(
      `${directory} is not empty (there is ${first}). Nothing was written: name another directory.`,
    );
}

/** Writes files below a directory, with the folders that they need. */
export async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

/** What the template calls itself, in text, and what a project is called in its place. */
const wordsFor = (name: string): [string, string][] => [
  ['my-api', name],
  ['my_api', name.replaceAll('-', '_')],
  ['My API', titleFor(name)],
  ['<year>', String(new Date().getFullYear())],
];

/**
 * Writes a project that is served by the platform: its files, each in its own words.
 * @throws NoNewProject for a directory that holds something
 */
export async function writeProject({ directory, name, packages }: NewProject): Promise<void> {
  await refuseBegun(directory);
  const words = [...wordsFor(name), ...PACKAGES.map((one): [string, string] => [`<${one}>`, packages[one]])];
  await writeFiles(directory, await projectFiles(words));
  await chmod(join(directory, RUN), 0o755);
}
