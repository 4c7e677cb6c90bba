import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT, run } from './process.js';

/** The documents of the project: README, the pages of docs/, and other Markdown files. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
];

/** The READMEs of the parts of the platform. */
export const PART_PAGES = readdirSync(join(ROOT, 'src/platform/parts')).map(
  (name) => `src/platform/parts/${name}/README.md`,
);

/** Returns true if a path exists, relative to the root of the project. */
export const isThere = (path: string): boolean => existsSync(join(ROOT, path));

/** Reads a page. The text is not cached, because some tests write pages. */
export const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export interface Block {
  language: string;
  text: string;
}

/** Splits a page into blocks of code and the lines between them. */
export function parts(text: string): (Block | string)[] {
  const split = text.split(/^```(.*\n[\s\S]*?)^```$\n?/m);
  return split.flatMap((part, i): (Block | string)[] => (i % 2 === 0 ? part.split('\n') : [blockOf(part)]));
}

/** Parses a block of code. @param fenced the text between the fences, which begins with the language */
function blockOf(fenced: string): Block {
  const end = fenced.indexOf('\n');
  return { language: fenced.slice(0, end), text: fenced.slice(end + 1) };
}

/** Returns the blocks of code in a language. */
export const blocks = (text: string, language: string): string[] =>
  parts(text).flatMap((part) => (typeof part !== 'string' && part.language === language ? part.text : []));

/** Returns the lines outside the blocks of code. */
export const prose = (text: string): string[] => parts(text).filter((part) => typeof part === 'string');

export const headings = (text: string): string[] => prose(text).flatMap((line) => /^#+ (.+)$/.exec(line)?.[1] ?? []);

/** Returns the anchor of a heading, as GitHub generates it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Returns the section of a page under a heading of the second level. */
export function section(path: string, heading: string): string {
  const [, text] = page(path).split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`${path} has no section "${heading}".`);
  return text.split('\n## ')[0] as string;
}

/** Sections that other tests execute: `scaffold.test.ts`, `walk-through.test.ts`. */
const WALKS: Record<string, string> = {
  'docs/changing-the-contracts.md': 'Walk-through: add an operation',
  'docs/your-own-api.md': 'Walk-through: a resource of your own',
};
const ASKS = /^(curl |[A-Z_]+=\$\(curl )/;

export interface Exchange {
  line: string;
  /** The status in the comment; undefined for a line that only sets a variable. */
  status: string | undefined;
  /** The JSON after the block, which is the answer to its last line. */
  answer: string | undefined;
}

/** Returns the curl lines of a page. */
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
 * Runs the lines of a page in a shell and returns the status and the body of each answer.
 * @param url replaces the address on the page
 */
export async function asked(t: Test, url: string, lines: Exchange[]) {
  const script = lines
    .map(({ line }) => line.replaceAll('http://localhost:3000', url).replace(/ # \d{3}$/, ''))
    .map((line) => (line.startsWith('curl') ? `${line} -w '\\n%{http_code}${END}'` : line))
    // A busy server may reject requests.
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

/** Returns the names in an item of the list of a README, up to a semicolon: `- Stages: …`. */
export const namesIn = (text: string, item: string): string[] => {
  const [, list] = new RegExp(`^- ${item}: ([^;]*?)(?:;|\\n(?! ))`, 'm').exec(text) ?? [];
  if (list === undefined) throw new Error(`There is no item "${item}".`);
  return [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
};
