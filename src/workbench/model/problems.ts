import { paint, Unable } from '@accord-api/platform/cli/output';

/** The files of a project: both contracts, and the schema of its database. */
export const FILES = {
  openapi: 'openapi.yaml',
  schema: 'schema.graphql',
  prisma: 'prisma/schema.prisma',
} as const;

/** The purpose of a check. Generation needs more of a contract than reading. */
export type Purpose = 'generation' | 'reading';

/** Lines and columns count from 1. */
export interface Problem {
  /** Relative to the project. */
  file: string;
  line: number;
  column: number;
  rule: string;
  /** Undefined for an error. */
  severity?: 'warning';
  message: string;
  /** The lines around the place, with a caret. */
  frame: string;
}

/** A place in a text. Lines and columns count from 1; `length` is the width to underline. */
export interface Place {
  line: number;
  column: number;
  length?: number;
}

export interface FilePlace extends Place {
  /** Relative to the project. */
  file: string;
}

export const printPlace = ({ file, line, column }: FilePlace): string => `${file}:${line}:${column}`;

/** Limits the output, because one missing section can break hundreds of references. */
const MAX_PRINTED_PER_FILE = 20;

/** Returns the line at a place between two lines before and one after it, with numbers and a caret. */
export function frameOf(text: string, { line, column, length = 1 }: Place): string {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - 2);
  const last = Math.min(lines.length, line + 1);
  const width = String(last).length;
  const gutter = (number: number | '') => `  ${String(number).padStart(width)} |`;
  const shown = [];
  for (let number = first; number <= last; number += 1) {
    const content = lines[number - 1] ?? '';
    shown.push(`${gutter(number)} ${content}`.trimEnd());
    // The caret stays within its line, and under a tab it stays under the tab.
    const width = Math.max(1, Math.min(length, content.length - column + 1));
    const indent = content.slice(0, column - 1).replace(/[^\t]/g, ' ');
    if (number === line) shown.push(`${gutter('')} ${indent}${'^'.repeat(width)}`);
  }
  return shown.join('\n');
}

export function problemAt(file: string, text: string, place: Place, rule: string, message: string): Problem {
  return { file, line: place.line, column: place.column, rule, message, frame: frameOf(text, place) };
}

export const pluralize = (count: number, noun: string): string => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`);

function countOf(problems: readonly Problem[]): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  const errors = pluralize(problems.length - warnings, 'error');
  return warnings === 0 ? errors : `${errors}, ${pluralize(warnings, 'warning')}`;
}

export const sortProblems = (problems: readonly Problem[]): Problem[] =>
  [...problems].sort(
    (a, b) =>
      Number(a.severity === 'warning') - Number(b.severity === 'warning') ||
      a.file.localeCompare(b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      a.rule.localeCompare(b.rule),
  );

/** Formats problems for a stream, with their frames and a summary: `openapi.yaml:12:5  error  <message>  (<rule>)`. */
export function printProblems(problems: readonly Problem[], stream: NodeJS.WriteStream = process.stderr): string {
  const ordered = sortProblems(problems);
  const files = [...new Set(ordered.map(({ file }) => file))].sort();
  const printed = files.flatMap((name) => ordered.filter(({ file }) => file === name).slice(0, MAX_PRINTED_PER_FILE));
  const shown = ordered.filter((problem) => printed.includes(problem));
  const blocks = shown.map(({ file, line, column, severity, message, rule, frame }) => {
    const level = severity === 'warning' ? paint('yellow', 'warning', stream) : paint('red', 'error', stream);
    const head = `${file}:${line}:${column}  ${level}  ${message}  ${paint('dim', `(${rule})`, stream)}`;
    return frame === '' ? `${head}\n` : `${head}\n${frame}\n`;
  });
  const more = ordered.length > shown.length ? `, ${shown.length} shown` : '';
  return [...blocks, `${countOf(problems)} in ${files.join(', ')}${more}`].join('\n');
}

/** @throws Unable with the problems of invalid contracts */
export function rejectProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Unable(printProblems(problems));
}
