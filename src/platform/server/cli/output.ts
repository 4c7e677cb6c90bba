import { styleText } from 'node:util';
import type { Command } from 'commander';

/** Exit codes, besides 0. `found`: the command found a problem. `unable`: a wrong argument, a missing file, an invalid contract. */
export const EXIT = { found: 1, unable: 2 } as const;

/** The reason why a command cannot do its work, a sentence for the user. The exit code is 2. */
export class Unable extends Error {
  override readonly name = 'Unable';
}

/** Prints the message of an error, and sets the exit code 1. */
export function fail(error: unknown, prefix = ''): void {
  console.error(`${prefix}${error instanceof Error ? error.message : error}`);
  process.exitCode = EXIT.found;
}

type Style = Parameters<typeof styleText>[0];

/** Returns a text in a colour or weight, on a terminal that supports it (NO_COLOR, FORCE_COLOR); else unchanged. */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

export function table(rows: Record<string, unknown>[], columns: string[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '-')))];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Adds the arguments, options and action of a subcommand. `root` among the global options is an absolute path. */
export type Subcommand = (command: Command) => void;

/** The subcommands by name. Their files are imported on demand, so that each command starts quickly. */
export type Subcommands = Readonly<Record<string, { summary: string; load: () => Promise<{ default: Subcommand }> }>>;
