import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { type Block, parts, section } from './documentation.js';
import type { NewProject } from './new-project.js';

/** A block of code that the reader puts into a file. */
export interface Edit {
  kind: 'edit';
  file: string;
  /** `whole` replaces or creates the file. `end` is after the last line. */
  where: 'whole' | 'end' | 'above' | 'below' | 'in place of';
  /** The line, or its beginning if the page has an ellipsis. */
  line?: string;
  text: string;
}

/** Commands that the reader runs, and their output on the page. */
export interface Commands {
  kind: 'commands';
  lines: string[];
  /** The status in the comment of each command. */
  statuses: (string | undefined)[];
  /** The output of all commands, with an ellipsis for variable or long parts; undefined if the page shows none. */
  output: string | undefined;
}

/** Any other block. */
export interface Shown {
  kind: 'shown';
  language: string;
  text: string;
}

export type Step = Edit | Commands | Shown;

const PLACES: [pattern: RegExp, where: (match: RegExpExecArray) => Pick<Edit, 'file' | 'where' | 'line'>][] = [
  [
    /in `([\w./-]+)`, (above|below|in place of) the line `([^`]+)`[^`]*:$/i,
    ([, file = '', where, line = '']) => ({ file, where: where as Edit['where'], line }),
  ],
  [/at the end of `([\w./-]+)`:$/i, ([, file = '']) => ({ file, where: 'end' })],
  [/`([\w./-]+)` (?:is|becomes)(?: new)?:$/, ([, file = '']) => ({ file, where: 'whole' })],
];

/**
 * Returns the steps of a page or a section. The sentence before an edit names the file and the place: "In
 * `openapi.yaml`, below the line `schemas:`:".
 */
export function stepsOf(text: string): Step[] {
  const all = parts(text).filter((part) => part !== '');
  return all.flatMap((part, i): Step[] => {
    if (typeof part === 'string') return [];
    const before = sentenceBefore(all, i);
    const [place] = PLACES.flatMap(([pattern, where]) => {
      const match = pattern.exec(before);
      return match ? [where(match)] : [];
    });
    if (place) return [{ kind: 'edit', ...place, text: part.text }];
    if (part.language === 'sh') return [commandsOf(part, all[i + 1])];
    return part.language === '' ? [] : [{ kind: 'shown', ...part }];
  });
}

/** Returns the lines of prose before a block as one text. */
function sentenceBefore(all: (Block | string)[], i: number): string {
  const lines = [];
  for (let at = i - 1; typeof all[at] === 'string'; at--) lines.unshift(all[at]);
  return lines.join(' ');
}

function commandsOf({ text }: Block, next: Block | string | undefined): Commands {
  const all = text.split('\n').filter(Boolean);
  const output = typeof next === 'object' && next.language === '' ? next.text : undefined;
  const statuses = all.map((line) => / # (\d{3})$/.exec(line)?.[1]);
  return { kind: 'commands', lines: all.map((line) => line.replace(/ +# .*$/, '')), statuses, output };
}

/** Applies an edit. Throws if no line or several lines match. */
export function applyEdit(folder: string, { file, where, line = '', text }: Edit): void {
  const path = join(folder, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, edited(before, { file, where, line, text }));
}

function edited(before: string, { file, where, line = '', text }: Omit<Edit, 'kind'>): string {
  if (where === 'whole') return text;
  if (where === 'end') return before + text;
  const begins = line.endsWith('…') && line.slice(0, -1);
  const lines = before.split('\n');
  const isMeant = (text: string) => (begins ? text.trim().startsWith(begins) : text.trim() === line);
  const meant = lines.filter(isMeant).length;
  if (meant !== 1) throw new Error(`${file} has ${meant} lines \`${line}\`.`);
  const at = lines.findIndex(isMeant);
  const added = text.replace(/\n$/, '').split('\n');
  lines.splice(where === 'below' ? at + 1 : at, where === 'in place of' ? 1 : 0, ...added);
  return lines.join('\n');
}

/**
 * Returns a pattern for the output on a page. An ellipsis matches anything; alone on its line it matches lines. Columns
 * may have any width.
 */
export function outputPattern(output: string): RegExp {
  const escaped = output.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = escaped
    .split('\n')
    .map((line) => (line.trim() === '…' ? '[^]*?' : line.replaceAll('…', '.*').replaceAll(/(?<=\S) {2,}/g, ' +')));
  return new RegExp(`^${lines.join('\\n')}$`.replaceAll('\\n[^]*?', '[^]*?'));
}

export const isRequest = (line: string) => line.startsWith('curl ');

/** Applies the edits of a page, and runs its commands except requests. */
export async function follow(t: Test, { folder, command }: NewProject, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'edit') applyEdit(folder, step);
    if (step.kind === 'commands' && !step.lines.some(isRequest)) await runAll(t, command, step);
  }
}

async function runAll(t: Test, command: NewProject['command'], { lines, output }: Commands): Promise<void> {
  let printed = '';
  for (const line of lines) {
    const { code, stdout, stderr } = await command(line);
    t.equal(code, 0, `${line}: ${code === 0 ? '' : stdout + stderr}`);
    printed += stdout;
  }
  if (output !== undefined) t.match(printed.trimEnd(), outputPattern(output), lines.join('; '));
}

/** Adds loans to a new project. */
export const OWN_RESOURCE = stepsOf(section('docs/your-own-api.md', 'Walk-through: a resource of your own'));
