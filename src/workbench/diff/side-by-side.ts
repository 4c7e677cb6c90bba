import { diffArrays, diffWordsWithSpace } from 'diff';

/** A part of a line, and whether the other version has it not. */
export interface Piece {
  text: string;
  changed: boolean;
}

/** A line of one version. */
export interface Line {
  number: number;
  pieces: Piece[];
}

/** What stands beside each other: a line, or what took its place; or how many lines are left out that both have. */
export type Row =
  | { kind: 'same' | 'changed'; before: Line | undefined; after: Line | undefined }
  | { kind: 'gap'; lines: number };

/** Lines of a text, the first of which has this number. */
export interface Excerpt {
  first: number;
  lines: readonly string[];
}

/** Lines around a change that say where one is. */
export const AROUND = 2;
/** A gap of one line is longer than the line. */
const SHORTEST_GAP = 3;

/** Edits after which nothing is in common any more: the time to find them grows with their square. */
const MOST = 2000;

const whole = (text: string, changed: boolean): Piece[] => [{ text, changed }];

/** Which words of two texts are only in the one, and in the other. */
export function words(before: string, after: string): [before: Piece[], after: Piece[]] {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST });
  if (parts === undefined) return [whole(before, true), whole(after, true)];
  const of = (left: boolean) =>
    parts
      .filter(({ added, removed }) => (left ? !added : !removed))
      .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
  return [of(true), of(false)];
}

/** Whether two lines have so much in common that the words tell more than the lines. */
function alike(pieces: readonly Piece[]): boolean {
  const length = (some: readonly Piece[]) => some.reduce((sum, { text }) => sum + text.trim().length, 0);
  return length(pieces.filter(({ changed }) => !changed)) * 3 > length(pieces);
}

function pair(before: Line | undefined, after: Line | undefined): Row {
  if (before === undefined || after === undefined) return { kind: 'changed', before, after };
  const text = ({ pieces }: Line) => pieces.map((piece) => piece.text).join('');
  const [left, right] = words(text(before), text(after));
  const close = alike(left) && alike(right);
  const shown = (line: Line, pieces: Piece[]) => ({ ...line, pieces: close ? pieces : whole(text(line), false) });
  return { kind: 'changed', before: shown(before, left), after: shown(after, right) };
}

/** Leaves out what both have, but for the lines next to a change. */
function folded(rows: readonly Row[]): Row[] {
  const near = (index: number) =>
    rows.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind === 'changed');
  const result: Row[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const length = rows.slice(index).findIndex((_, ahead) => near(index + ahead));
    const gap = length < 0 ? rows.length - index : length;
    if (gap >= SHORTEST_GAP) {
      result.push({ kind: 'gap', lines: gap });
      index += gap - 1;
    } else result.push(rows[index] as Row);
  }
  return result;
}

/** Two excerpts line by line, what differs in one row; of what both have only what is near. Empty where nothing differs. */
export function sideBySide(before: Excerpt, after: Excerpt): Row[] {
  const [position, rows] = [{ before: before.first, after: after.first }, [] as Row[]];
  const take = (side: 'before' | 'after', texts: readonly string[]): Line[] =>
    texts.map((text) => ({ number: position[side]++, pieces: whole(text, false) }));
  const options = { maxEditLength: MOST };
  const nothing = [
    { value: [...before.lines], added: false, removed: true },
    { value: [...after.lines], added: true, removed: false },
  ];
  let gone: Line[] = [];
  const changed = (fresh: Line[]) => {
    const length = Math.max(gone.length, fresh.length);
    for (let index = 0; index < length; index += 1) rows.push(pair(gone[index], fresh[index]));
    gone = [];
  };
  for (const { value, added, removed } of diffArrays([...before.lines], [...after.lines], options) ?? nothing) {
    if (removed) gone = take('before', value);
    else if (added) changed(take('after', value));
    else {
      changed([]);
      const [left, right] = [take('before', value), take('after', value)];
      for (const [index, line] of left.entries()) rows.push({ kind: 'same', before: line, after: right[index] });
    }
  }
  changed([]);
  return rows.some(({ kind }) => kind === 'changed') ? folded(rows) : [];
}
