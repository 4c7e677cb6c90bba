/** A change that `accord scaffold` made, or with `--check` would make. */
export interface Change {
  /** Stubs are added or dropped, code is parked or restored, files are registered or unregistered. */
  kind: 'added' | 'restored' | 'parked' | 'dropped' | 'registered' | 'unregistered';
  file: string;
  name: string;
  detail: string;
}

/** Adds the position in `file`; line and column count from 1. */
export type Located<Thing> = Thing & { line: number; column: number };

/** An operation or a field that answers 501 or NOT_IMPLEMENTED. */
export interface Pending {
  file: string;
  name: string;
  /** `GET /api/v1/users`; undefined for a field. */
  request?: string;
}

export interface Scaffolding {
  generated: string[];
  changes: Located<Change>[];
  pending: Located<Pending>[];
}

type Paint = (style: 'bold' | 'green' | 'yellow', text: string) => string;

const COLOURS = {
  added: 'green',
  restored: 'green',
  registered: 'green',
  parked: 'yellow',
  dropped: 'yellow',
  unregistered: 'yellow',
} as const satisfies Record<Change['kind'], Parameters<Paint>[0]>;

const position = ({ file, line, column }: Located<{ file: string }>): string => `${file}:${line}:${column}`;

function changeLines(changes: readonly Located<Change>[], paint: Paint): string[] {
  const rows = changes.map((change) => [change.kind, position(change), change.name] as const);
  const widths = [0, 1, 2].map((index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return changes.map(({ kind, detail }, row) => {
    const cells = rows[row]?.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ') ?? '';
    return `  ${paint(COLOURS[kind], kind)}${`${cells}  ${detail}`.slice(kind.length)}`;
  });
}

/** Returns the next steps as sentences. `check` means that nothing was written. */
export function nextSteps({ generated, changes, pending }: Scaffolding, check: boolean): string[] {
  if (check && changes.length + generated.length > 0) return ['Run `npx accord scaffold`.'];
  const parked = changes.filter(({ kind }) => kind === 'parked');
  return [
    ...parked.map((one) => `Look at ${position(one)}: ${one.name} is parked. ${one.detail} Move it, or delete it.`),
    ...pending.map((one) => {
      const answer = one.request === undefined ? 'answers NOT_IMPLEMENTED' : `(${one.request}) answers 501`;
      return `Fill in ${position(one)}: ${one.name} ${answer}.`;
    }),
    'Run `npm run typecheck`, then `npm test`.',
    'Run `npx accord coverage`: it lists the parts of the contracts that no test covers.',
    'Run `npx accord diff`: it shows a reviewer what changed.',
  ];
}

/** Prints the changes and the next steps. */
export function reportOf(scaffolding: Scaffolding, { check, paint }: { check: boolean; paint: Paint }): string {
  const { generated, changes, pending } = scaffolding;
  const title = paint('bold', check ? 'To do in the code:' : 'Done in the code:');
  const steps = nextSteps(scaffolding, check).map((step, index) => `  ${index + 1}. ${step}`);
  const sections = [
    generated.length === 0 ? [] : [`${check ? 'Would generate' : 'Generated'} ${generated.join(', ')}.`],
    changes.length === 0 ? [] : [title, ...changeLines(changes, paint)],
    pending.length === 0 ? ['Every operation and field of the contracts is implemented.'] : [],
    [paint('bold', 'Next:'), ...steps],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
