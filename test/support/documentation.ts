import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.js';

/** What people read of this project: README, the pages of docs/, and what stands beside them. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

/** Whether there is such a file or folder, from the root of the project. */
export const isThere = (path: string): boolean => existsSync(join(ROOT, path));

/** A page as it is now, for some tests write it. */
export const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export interface Block {
  language: string;
  text: string;
}

/** A page in the order of its parts: blocks of code, and the lines between them. */
export function parts(text: string): (Block | string)[] {
  const split = text.split(/^```(.*\n[\s\S]*?)^```$\n?/m);
  return split.flatMap((part, i): (Block | string)[] => (i % 2 === 0 ? part.split('\n') : [blockOf(part)]));
}

/** @param fenced what stands between the fences, after the first one on its line the language */
function blockOf(fenced: string): Block {
  const end = fenced.indexOf('\n');
  return { language: fenced.slice(0, end), text: fenced.slice(end + 1) };
}

/** The blocks of code in a language. */
export const blocks = (text: string, language: string): string[] =>
  parts(text).flatMap((part) => (typeof part !== 'string' && part.language === language ? part.text : []));

/** The lines that are none of a block of code. */
export const prose = (text: string): string[] => parts(text).filter((part) => typeof part === 'string');

/** The headings of a page. */
export const headings = (text: string): string[] => prose(text).flatMap((line) => /^#+ (.+)$/.exec(line)?.[1] ?? []);

/** By what a link names the place of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A page's section under a heading of the second level, for a test that follows it word by word. */
export function section(path: string, heading: string): string {
  const [, text] = page(path).split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`${path} has no section "${heading}".`);
  return text.split('\n## ')[0] as string;
}
