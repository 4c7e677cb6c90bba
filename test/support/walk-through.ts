import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Block, parts } from './documentation.js';

/** A block of code that a page has its reader put into a file. */
export interface Edit {
  kind: 'edit';
  file: string;
  /** `whole`: the file is new, or becomes this. The others are at a line, and `end` is after the last one. */
  where: 'whole' | 'end' | 'above' | 'below' | 'in place of';
  /** The line, or how it begins, where the page has an ellipsis for the rest. */
  line?: string;
  text: string;
}

/** Commands that a page has its reader run, and what it says is told. */
export interface Commands {
  kind: 'commands';
  lines: string[];
  /** What the comment behind each says, where that is the status of an answer. */
  statuses: (string | undefined)[];
  /** What they print, one after the other, with an ellipsis for what differs or is long; undefined where the page shows nothing. */
  told: string | undefined;
}

/** Other code: what it is, the test that follows the page knows. */
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
 * What a page, or a part of it, has its reader do, in order. A block is an edit where the sentence before it says of which file,
 * and where: "In `openapi.yaml`, below the line `schemas:`:".
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

/** The lines of prose before a block, as one. */
function sentenceBefore(all: (Block | string)[], i: number): string {
  const lines = [];
  for (let at = i - 1; typeof all[at] === 'string'; at--) lines.unshift(all[at]);
  return lines.join(' ');
}

function commandsOf({ text }: Block, next: Block | string | undefined): Commands {
  const all = text.split('\n').filter(Boolean);
  const told = typeof next === 'object' && next.language === '' ? next.text : undefined;
  const statuses = all.map((line) => / # (\d{3})$/.exec(line)?.[1]);
  return { kind: 'commands', lines: all.map((line) => line.replace(/ +# .*$/, '')), statuses, told };
}

/** Does to a file of a project what a page says. Throws where there is no such line, or more than one that could be meant. */
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
  const isMeant = (one: string) => (begins ? one.trim().startsWith(begins) : one.trim() === line);
  const meant = lines.filter(isMeant).length;
  if (meant !== 1) throw new Error(`${file} has ${meant} lines \`${line}\`.`);
  const at = lines.findIndex(isMeant);
  const added = text.replace(/\n$/, '').split('\n');
  lines.splice(where === 'below' ? at + 1 : at, where === 'in place of' ? 1 : 0, ...added);
  return lines.join('\n');
}

/**
 * What a page says is told, for a comparison with what was: an ellipsis stands for anything, alone on its line for any number of
 * lines; columns may be as wide as they are.
 */
export function toldPattern(told: string): RegExp {
  const escaped = told.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = escaped
    .split('\n')
    .map((line) => (line.trim() === '…' ? '[^]*?' : line.replaceAll('…', '.*').replaceAll(/(?<=\S) {2,}/g, ' +')));
  return new RegExp(`^${lines.join('\\n')}$`.replaceAll('\\n[^]*?', '[^]*?'));
}
