import { styleText } from 'node:util';

/**
 * Exit codes, besides 0. `found`: what was looked for is there, and it is not in order. `unable`: there was no looking,
 * because of a wrong argument, a missing file, a broken contract.
 */
export const EXIT = { found: 1, unable: 2 } as const;

/** Why a command cannot do its work, in a sentence for whoever typed it. It ends with the exit code 2. */
export class Unable extends Error {
  override readonly name = 'Unable';
}

type Style = Parameters<typeof styleText>[0];

/** Text in a colour or weight, on a terminal that wants it (NO_COLOR, FORCE_COLOR); plain anywhere else. */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** JSON for programs: the one thing on standard output, whatever else there is to say goes to standard error. */
export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

/** Columns for a terminal, under their names. */
export function table(rows: Record<string, unknown>[], columns: string[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '-')))];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => (line[column] as string).length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Milliseconds after which one wants to know what takes so long. */
const PATIENCE = 1000;

/**
 * Does what may take longer than a second, and says so meanwhile: a line on standard error, on a terminal only, gone at
 * the end.
 */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work();
  const started = performance.now();
  const show = () => process.stderr.write(`\r${what} … ${Math.round((performance.now() - started) / 1000)} s`);
  const timer = setInterval(show, PATIENCE);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.stderr.write('\r\u001b[K');
  }
}
