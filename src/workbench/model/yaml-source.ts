import { finite } from 'accord/contract/yaml';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { type Place, type Problem, problemAt } from './problems.js';

/** The keys that lead to a place of a document, from its root. */
export type Path = readonly (string | number)[];

/** A broken rule and where in the document. */
export interface Finding {
  path: Path;
  /** Whether it is the key that is at fault, not its value. */
  onKey?: boolean;
  rule: string;
  message: string;
}

/** A YAML text together with the places of what it holds. */
export interface YamlSource {
  file: string;
  text: string;
  /** What keeps it from being parsed; then the rest is not to be relied upon. */
  errors: Problem[];
  value: unknown;
  placeOf: (path: Path, onKey?: boolean) => Place;
  problemAt: (finding: Finding) => Problem;
}

/** The range of the value, or of the key, at a path of the parsed document; of the nearest ancestor if there is none. */
function rangeOf(document: Document, path: Path, onKey: boolean): [number, number] {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = onKey && pair !== undefined ? pair.key : document.getIn(path, true);
  if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  return path.length === 0 ? [0, 1] : rangeOf(document, path.slice(0, -1), true);
}

/** What a document says; undefined where its aliases say too much, or lead to what they stand in. */
function saidBy(document: Document, refuse: (message: string) => void): unknown {
  try {
    return finite(document.toJS());
  } catch (error) {
    refuse(error instanceof ReferenceError ? `Its aliases say too much: ${error.message}.` : (error as Error).message);
    return undefined;
  }
}

/** Parses a YAML text and keeps its places. `file` names it in the problems. */
export function readYaml(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const placeAt = ([start, end]: [number, number]): Place => {
    const { line, col } = lines.linePos(start);
    return { line, column: col, length: end - start };
  };
  const placeOf = (path: Path, onKey = false) => placeAt(rangeOf(document, path, onKey));
  const errors = document.errors.map(({ pos: [start, end], message }) => {
    const [reason = message] = message.split(/ at line \d+|:?\n/);
    return problemAt(file, text, placeAt([start, end]), 'syntax', reason);
  });
  const value =
    errors.length > 0
      ? undefined
      : saidBy(document, (message) => {
          errors.push(problemAt(file, text, { line: 1, column: 1 }, 'syntax', message));
        });
  return {
    file,
    text,
    errors,
    value,
    placeOf,
    problemAt: ({ path, onKey, rule, message }) => problemAt(file, text, placeOf(path, onKey), rule, message),
  };
}
