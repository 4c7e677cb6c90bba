import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT, run } from './process.js';

/** What people read of this project: README, the pages of docs/, and what stands beside them. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
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

/** Other tests follow them, and ask what only then is there to be asked: `scaffold.test.ts`, `walk-through.test.ts`. */
const WALKS: Record<string, string> = {
  'docs/changing-the-contracts.md': 'Walk-through: add an operation',
  'docs/your-own-api.md': 'Walk-through: a resource of your own',
  'docs/moving-in.md': 'Walk-through: ten operations, of which two are served here',
};
const ASKS = /^(curl |[A-Z_]+=\$\(curl )/;

export interface Exchange {
  line: string;
  /** The status in its comment; undefined for a line that only remembers what it was answered. */
  status: string | undefined;
  /** The JSON that follows the block, which is the answer to its last line. */
  answer: string | undefined;
}

/** The curl lines of a page, in its order. */
export function exchanges(path: string): Exchange[] {
  const walk = WALKS[path];
  const all = parts(walk === undefined ? page(path) : page(path).replace(section(path, walk), () => '')).filter(
    Boolean,
  );
  return all.flatMap((part, i) => {
    if (typeof part === 'string' || part.language !== 'sh') return [];
    const lines = part.text.split('\n').filter((line) => ASKS.test(line));
    const next = all[i + 1];
    const answer = typeof next === 'object' && next.language === 'json' ? next.text : undefined;
    return lines.map((line) => ({
      line,
      status: / # (\d{3})$/.exec(line)?.[1],
      answer: line === lines.at(-1) ? answer : undefined,
    }));
  });
}

const END = '-----';

/**
 * Asks a service what a page has its reader ask, line by line in a shell.
 * @param url takes the place of the address on the page
 * @returns of each line that asks what was answered: the status as text, and the body
 */
export async function asked(t: Test, url: string, lines: Exchange[]) {
  const script = lines
    .map(({ line }) => line.replaceAll('http://localhost:3000', url).replace(/ # \d{3}$/, ''))
    .map((line) => (line.startsWith('curl') ? `${line} -w '\\n%{http_code}${END}'` : line))
    // A server on a busy machine may shed a request.
    .map((line) => line.replace('curl ', 'curl -s --retry 30 --retry-delay 1 '));
  const { stdout } = await run(t, ['sh', '-c', script.join('\n')]).ended;
  const answers = stdout.split(END);
  return lines
    .filter(({ line }) => line.startsWith('curl'))
    .map((exchange, i) => {
      const [body = '', found] = answers[i]?.split(/\n(?=\d{3}$)/) ?? [];
      return { ...exchange, body, found };
    });
}
