import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A project, whole. What would be taken for this repository's own has an underscore before its name. */
export const TEMPLATE = fileURLToPath(new URL('template/', import.meta.url));

export interface TemplateOptions {
  /** The texts for which others stand in the template. */
  words: readonly (readonly [from: string, to: string])[];
  /** Without the resource that shows how one is made. */
  empty?: boolean;
}

/** Comments of a template: around what goes with the resource that shows how one is made, and in place of it. */
const AROUND = /^ *(?:#|\/\/|--|<!--) <\/?books>(?: -->)?\n/gm;
const PART = /^ *(?:#|\/\/|--|<!--) <books>(?: -->)?\n[\s\S]*?^ *(?:#|\/\/|--|<!--) <\/books>(?: -->)?\n/gm;
const INSTEAD = /^( *)(?:#|\/\/|--|<!--) <empty> (.*?)(?: -->)?\n/gm;

const chosen = (text: string, empty: boolean): string =>
  empty ? text.replaceAll(PART, '').replaceAll(INSTEAD, '$1$2\n') : text.replaceAll(AROUND, '').replaceAll(INSTEAD, '');

/** Under which name a file of the template is written. */
const nameOf = (path: string): string => path.replace(/^_gitignore$/, '.gitignore').replace(/^_/, '');

/** The files of a project by their path, each in its own words. */
export async function projectFiles({ words, empty = false }: TemplateOptions): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const before = await readFile(path, 'utf8');
    const text = words.reduce((so, [from, to]) => so.replaceAll(from, to), chosen(before, empty));
    if (text !== '') files.set(nameOf(path.slice(TEMPLATE.length)), text);
  }
  return files;
}
