import type { Change, Pending, Placed } from './change.js';
import type { Scaffolding } from './scaffold.js';

/** How a word is emphasised where the report is read; the same word where there is no colour. */
type Paint = (style: 'bold' | 'green' | 'yellow', text: string) => string;

const COLOURS = {
  added: 'green',
  restored: 'green',
  registered: 'green',
  renamed: 'yellow',
  moved: 'yellow',
  parked: 'yellow',
  dropped: 'yellow',
  unregistered: 'yellow',
} as const satisfies Record<Change['kind'], Parameters<Paint>[0]>;

const at = ({ file, line, column }: Placed<{ file: string }>): string => `${file}:${line}:${column}`;

/** Rows of words, each column as wide as its widest. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function listed(changes: readonly Placed<Change>[], paint: Paint): string[] {
  const rows = columns(changes.map((change) => [change.kind, at(change), change.name, change.detail]));
  return rows.map((row, index) => {
    const kind = changes[index]?.kind ?? 'added';
    return `  ${paint(COLOURS[kind], kind)}${row.slice(kind.length)}`;
  });
}

const answers = ({ request }: Pending): string =>
  request === undefined ? 'answers NOT_IMPLEMENTED' : `(${request}) answers 501`;

/** What to do now, a sentence each, in their order. `check`: nothing has been done yet. */
export function nextSteps({ generated, changes, pending }: Scaffolding, check: boolean): string[] {
  if (check && changes.length + generated.length > 0) return ['Run `npx accord scaffold`.'];
  const renamed = changes.filter(({ kind }) => kind === 'renamed');
  const moved = changes.filter(({ kind }) => kind === 'moved');
  const parked = changes.filter(({ kind }) => kind === 'parked');
  return [
    ...renamed.map(
      (one) => `Look at ${at(one)}: is ${one.name} only a new name for what stood there? Clients know the old one.`,
    ),
    ...moved.map((one) => `Look at ${at(one)}: ${one.name} stands there now, and what it uses is imported.`),
    ...parked.map((one) => `Look at ${at(one)}: ${one.name} is parked. Delete it, or use it.`),
    ...pending.map((one) => `Fill in ${at(one)}: ${one.name} ${answers(one)}.`),
    'Run `npm run typecheck`, then `npm test`.',
    'Run `npx accord coverage`: it shows what of the contract no test has seen.',
    'Run `npx accord diff`: it shows a reviewer what changed.',
  ];
}

interface ReportOptions {
  check: boolean;
  paint: Paint;
}

/** What was done, and what to do next, for a person. `check`: what would be done. */
export function reportOf(scaffolding: Scaffolding, { check, paint }: ReportOptions): string {
  const { generated, changes, pending, notes } = scaffolding;
  const written = generated.length === 0 ? [] : [`${check ? 'Would generate' : 'Generated'} ${generated.join(', ')}.`];
  const title = check ? 'To do in the code:' : 'Done in the code:';
  const done = changes.length > 0 ? [paint('bold', title), ...listed(changes, paint)] : [];
  const steps = nextSteps(scaffolding, check);
  const sections = [
    written,
    done,
    notes,
    pending.length === 0 ? ['Everything that the contracts promise is written.'] : [],
    [paint('bold', 'Next:'), ...steps.map((step, index) => `  ${index + 1}. ${step}`)],
  ];
  return sections
    .filter((lines) => lines.join('') !== '')
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
