import type { FileLines } from '../model/problems.js';
import type { Change } from './change.js';
import { escaped } from './markup.js';
import { AROUND, type Excerpt, type Line, type Piece, type Row, sideBySide } from './side-by-side.js';
import type { ProjectVersion } from './versions.js';

/** The versions whose lines are shown. */
export interface Versions {
  before: ProjectVersion;
  after: ProjectVersion;
}

/** Rows that are shown at once; of a whole operation that came, the rest is opened. */
const SHOWN = 24;

const linesOf = ({ contracts }: ProjectVersion, file: string): string[] => {
  const { openapi, schema, prisma } = contracts;
  const text = openapi.texts.get(file) ?? schema.texts.get(file) ?? (file === prisma.file ? prisma.text : '');
  return text.split(/\r?\n/);
};

function excerptOf(version: ProjectVersion, { file, first, last }: FileLines, around = 0): Excerpt {
  const lines = linesOf(version, file);
  const from = Math.max(1, first - around);
  return { first: from, lines: lines.slice(from - 1, last + around) };
}

const indentOf = (line: string): number => (line.trim() === '' ? Number.POSITIVE_INFINITY : line.search(/\S/));

/** Without the blanks that all lines begin with. */
function dedented(excerpts: readonly Excerpt[]): Excerpt[] {
  const indent = Math.min(...excerpts.flatMap(({ lines }) => lines.map(indentOf)));
  return excerpts.map((one) => ({ ...one, lines: one.lines.map((line) => line.slice(indent)) }));
}

/** Pieces of a line, those marked that the other version has not. */
export const piecesOf = (pieces: readonly Piece[], tag: 'del' | 'ins'): string =>
  pieces.map(({ text, changed }) => (changed ? `<${tag}>${escaped(text)}</${tag}>` : escaped(text))).join('');

const cells = (line: Line | undefined, side: 'before' | 'after', kind: string): string => {
  if (line === undefined) return `<td class="number none"></td><td class="${side} none"></td>`;
  const text = piecesOf(line.pieces, side === 'before' ? 'del' : 'ins');
  return `<td class="number ${side} ${kind}">${line.number}</td><td class="${side} ${kind}"><code>${text}</code></td>`;
};

const rowOf = (row: Row): string =>
  row.kind === 'gap'
    ? `<tr class="gap"><td colspan="4">${row.lines} more lines, the same in both</td></tr>`
    : `<tr class="${row.kind}">${cells(row.before, 'before', row.kind)}${cells(row.after, 'after', row.kind)}</tr>`;

const placed = ({ file }: FileLines, line: number) => `<code>${escaped(file)}:${line}</code>`;

/** The first line that differs in a version, or that of the whole where the other one has more. */
const firstOf = (rows: readonly Row[], side: 'before' | 'after', { first }: FileLines): number =>
  rows.flatMap((row) => (row.kind === 'changed' ? (row[side]?.number ?? []) : []))[0] ?? first;

/** The width of the columns, which the head would halve. */
const COLUMNS = '<col class="numbers"><col>';

const table = (head: string, rows: readonly string[], classes = ''): string =>
  `<table class="excerpt${classes}"><colgroup>${classes === '' ? COLUMNS : ''}${COLUMNS}</colgroup>${head}<tbody>\n${rows.join('\n')}\n</tbody></table>`;

/** A long table has its end behind a line that opens it. */
function shortened(head: string, rows: readonly string[], classes = ''): string {
  if (rows.length <= SHOWN + 4) return table(head, rows, classes);
  const more = `<details class="more"><summary>${rows.length - SHOWN} more lines</summary>${table('', rows.slice(SHOWN), classes)}</details>`;
  return `${table(head, rows.slice(0, SHOWN), classes)}${more}`;
}

function alone(version: ProjectVersion, lines: FileLines, side: 'before' | 'after'): string {
  const [excerpt = { first: 1, lines: [] }] = dedented([excerptOf(version, lines, AROUND)]);
  const rows = excerpt.lines.map((text, index) => {
    const number = excerpt.first + index;
    const kind = number < lines.first || number > lines.last ? 'same' : 'changed';
    return `<tr class="${kind}">${cells({ number, pieces: [{ text, changed: false }] }, side, kind)}</tr>`;
  });
  const word = side === 'before' ? 'Gone' : 'New';
  const head = `<thead><tr><th colspan="2" scope="col">${word} <span>${placed(lines, lines.first)}</span></th></tr></thead>`;
  return shortened(head, rows, ' alone');
}

/** A line of one version, from an excerpt; undefined where it ends before. */
function lineAt({ first, lines }: Excerpt, number: number): Line | undefined {
  const text = lines[number - first];
  return text === undefined ? undefined : { number, pieces: [{ text, changed: false }] };
}

/** The part of an excerpt without what stands around it. */
const within = (whole: Excerpt, { first, last }: FileLines): Excerpt => ({
  first,
  lines: whole.lines.slice(first - whole.first, last + 1 - whole.first),
});

/** How many lines are wanted at an end of some rows: none where they end with a gap, or with lines that both have. */
function wanted(rows: readonly Row[]): number {
  const same = rows.findIndex(({ kind }) => kind !== 'same');
  return rows[same]?.kind === 'gap' ? 0 : Math.max(0, AROUND - same);
}

/** The lines beside those that are compared, the nearest first; where they differ, that is another change. */
const beside = (count: number, lineOf: (ahead: number) => [Line | undefined, Line | undefined]): Row[] =>
  Array.from({ length: count }, (_, index) => lineOf(index + 1)).flatMap(([before, after]): Row[] =>
    before === undefined && after === undefined ? [] : [{ kind: 'same', before, after }],
  );

/** What differs within the lines of a change, with those around it; where nothing does, what differs in all of them. */
function rowsOf(left: Excerpt, right: Excerpt, before: FileLines, after: FileLines): Row[] {
  const rows = sideBySide(within(left, before), within(right, after));
  if (rows.length === 0) return sideBySide(left, right);
  const above = beside(wanted(rows), (ahead) => [
    lineAt(left, before.first - ahead),
    lineAt(right, after.first - ahead),
  ]);
  const below = beside(wanted(rows.toReversed()), (ahead) => [
    lineAt(left, before.last + ahead),
    lineAt(right, after.last + ahead),
  ]);
  return [...above.reverse(), ...rows, ...below];
}

/** The authored lines of a change, before and after beside each other; empty where nothing is to be seen in them. */
export function excerpt({ lines: { before, after } }: Pick<Change, 'lines'>, versions: Versions): string {
  if (before === undefined && after === undefined) return '';
  if (before === undefined) return alone(versions.after, after as FileLines, 'after');
  if (after === undefined) return alone(versions.before, before, 'before');
  const [left, right] = dedented([
    excerptOf(versions.before, before, AROUND),
    excerptOf(versions.after, after, AROUND),
  ]) as [Excerpt, Excerpt];
  const rows = rowsOf(left, right, before, after);
  if (rows.length === 0) return '';
  const head = `<thead><tr><th colspan="2" scope="col">Before <span>${placed(before, firstOf(rows, 'before', before))}</span></th><th colspan="2" scope="col">After <span>${placed(after, firstOf(rows, 'after', after))}</span></th></tr></thead>`;
  return shortened(head, rows.map(rowOf));
}
