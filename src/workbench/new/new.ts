import { chmod, cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What cannot be done where it was asked for; the message is a sentence for whoever asked. */
export class NoNewProject extends Error {
  override readonly name = 'NoNewProject';
}

export interface NewProject {
  directory: string;
  /** What the application is called; see `nameFor`. */
  name: string;
  /** What npm is to install as the package `accord`, and as `@accord/workbench`. */
  platform: string;
  workbench: string;
}

/** A project, whole. What would be taken for this repository's own has an underscore before its name. */
const TEMPLATE = fileURLToPath(new URL('template/', import.meta.url));
/** What it calls itself, in text. */
const TEMPLATE_NAME = 'my-api';
const TEMPLATE_TITLE = 'My API';

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

/**
 * Writes a project that is served by the platform: its files, each in its own words.
 * @throws NoNewProject for a directory that holds something
 */
export async function writeProject({ directory, name, platform, workbench }: NewProject): Promise<void> {
  await refuseBegun(directory);
  const words: [string, string][] = [
    [TEMPLATE_NAME, name],
    [TEMPLATE_TITLE, titleFor(name)],
    ['<year>', String(new Date().getFullYear())],
    ['<accord>', platform],
    ['<workbench>', workbench],
  ];
  await mkdir(directory, { recursive: true });
  await cp(TEMPLATE, directory, { recursive: true });
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(directory, entry.parentPath.slice(TEMPLATE.length - 1), entry.name);
    const text = await readFile(path, 'utf8');
    const own = words.reduce((so, [from, to]) => so.replaceAll(from, to), text);
    if (own !== text) await writeFile(path, own);
  }
  await rename(join(directory, '_biome.json'), join(directory, 'biome.json'));
  await rename(join(directory, '_gitignore'), join(directory, '.gitignore'));
  // npm forgets it when it packs.
  await chmod(join(directory, '.ci', 'run'), 0o755);
}
