import type { Report, Reported } from './report.js';
import { acceptance, GROUPS, type Group, inGroup, placeOf, summary, touches, versionSentence } from './words.js';

/** Colours a text; the command decides whether there are colours. */
export type Paint = (style: 'red' | 'yellow' | 'green' | 'dim' | 'bold' | 'cyan', text: string) => string;

const HEAD: Record<Group, { title: string; style: 'red' | 'yellow' | 'green' | 'cyan'; sign: string }> = {
  breaking: { title: 'Breaking', style: 'red', sign: '✖' },
  risky: { title: 'Risky', style: 'yellow', sign: '▲' },
  accepted: { title: 'Accepted', style: 'cyan', sign: '✓' },
  safe: { title: 'Safe', style: 'green', sign: '·' },
};

/** Wide enough for the longest label. */
const LABEL = 9;

function block(change: Reported, group: Group, report: Report, paint: Paint): string {
  const { style, sign } = HEAD[group];
  const row = (label: string, text: string) => `    ${paint('dim', label.padEnd(LABEL))} ${text}`;
  const head = `  ${paint(style, sign)} ${change.message}`;
  const where = `    ${paint('cyan', placeOf(change, report))}`;
  if (group === 'safe') return `${head}  ${paint('dim', placeOf(change, report))}`;
  const rows = touches(change).map(([label, text]) => row(label, text));
  if (change.advice !== undefined && group !== 'accepted') rows.unshift(row('instead', change.advice));
  if (change.accepted !== undefined) rows.unshift(row('because', change.accepted));
  return [head, where, ...rows, row('id', paint('dim', change.id)), ''].join('\n');
}

/** A report for a terminal: worst first, and at the end what to do. */
export function printText(report: Report, paint: Paint): string {
  const title = `${paint('bold', 'Contract changes')} from ${report.from} to ${report.to}`;
  if (report.changes.length === 0) {
    return [
      title,
      '',
      `  Nothing changed that a client sees. ${versionSentence(report.version)}`,
      ...stale(report, paint),
    ].join('\n');
  }
  const groups = GROUPS.flatMap((group) => {
    const changes = inGroup(report, group);
    if (changes.length === 0) return [];
    const { title: name, style } = HEAD[group];
    const end = group === 'safe' ? [''] : [];
    return [
      paint(style, `${name} (${changes.length})`),
      ...changes.map((one) => block(one, group, report, paint)),
      ...end,
    ];
  });
  const [first] = inGroup(report, 'breaking');
  const next =
    first === undefined
      ? []
      : [
          '',
          'A break that must be is accepted in openapi.yaml, at its root, with a reason that a reviewer reads:',
          '',
          ...acceptance(first.id)
            .split('\n')
            .map((line) => `  ${line}`.trimEnd()),
        ];
  const end = [paint('bold', summary(report)), versionSentence(report.version)];
  return [title, '', ...groups, ...end, ...stale(report, paint), ...next].join('\n');
}

const stale = (report: Report, paint: Paint): string[] =>
  report.stale.map(
    (id) => `${paint('yellow', 'stale')} x-accepted-breaks names ${id}, which is no break of this diff: remove it.`,
  );
