import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A project, whole. What would be taken for this repository's own has an underscore before its name. */
export const TEMPLATE = fileURLToPath(new URL('template/', import.meta.url));

/** Comments around the resource that shows how one is made: a test counts its lines. */
const AROUND = /^ *(?:#|\/\/|--|<!--) <\/?books>(?: -->)?\n/gm;

/** Under which name a file of the template is written. */
const nameOf = (path: string): string => path.replace(/^_gitignore$/, '.gitignore').replace(/^_/, '');

/**
 * The files of a project by their path.
 * @param words the texts of the template for which others are written
 */
export async function projectFiles(
  words: readonly (readonly [from: string, to: string])[],
): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const before = await readFile(path, 'utf8');
    const text = words.reduce((so, [from, to]) => so.replaceAll(from, to), before.replaceAll(AROUND, ''));
    files.set(nameOf(path.slice(TEMPLATE.length)), text);
  }
  return files;
}
