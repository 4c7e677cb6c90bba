import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Place } from './problems.js';

/** The keys that lead from the root of a document to a value in it. */
export type YamlPath = readonly (string | number)[];

/** Gives the place of the value at a path, or of its key; of the nearest ancestor's key if there is no such value. */
export type Locate = (path: YamlPath, onKey?: boolean) => Place;

function rangeOf(document: Document, path: YamlPath, onKey: boolean): [number, number] {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = onKey && pair !== undefined ? pair.key : document.getIn(path, true);
  if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  return path.length === 0 ? [0, 1] : rangeOf(document, path.slice(0, -1), true);
}

/** Looks up places in a document that was parsed with this line counter. */
export const locator =
  (document: Document, lines: LineCounter): Locate =>
  (path, onKey = false) => {
    const [start, end] = rangeOf(document, path, onKey);
    const { line, col } = lines.linePos(start);
    return { line, column: col, length: end - start };
  };

/** Looks up places in a YAML text. Of one with errors of syntax it finds what it can. */
export function placesIn(text: string): Locate {
  const lines = new LineCounter();
  return locator(parseDocument(text, { lineCounter: lines }), lines);
}
