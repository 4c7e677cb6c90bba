import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
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

/** A member of a map by its key. */
function pairAt(document: Document, path: Path) {
  const parent = document.getIn(path.slice(0, -1), true);
  return isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
}

/** The range of the value, or of the key, at a path of the parsed document; of the nearest ancestor if there is none. */
function rangeOf(document: Document, path: Path, onKey: boolean): [number, number] {
  const pair = pairAt(document, path);
  const node = onKey && pair !== undefined ? pair.key : document.getIn(path, true);
  if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  return path.length === 0 ? [0, 1] : rangeOf(document, path.slice(0, -1), true);
}

/** Where an alias is of nothing, or of what it stands in, which would have no end. */
function brokenAliases(document: Document): [node: Node, reason: string][] {
  const found: [Node, string][] = [];
  visit(document, {
    Alias: (_key, alias, path) => {
      const meant = alias.resolve(document);
      if (meant === undefined) found.push([alias, `There is no anchor &${alias.source} before this alias`]);
      else if (path.some((one) => one === meant))
        found.push([alias, `The alias *${alias.source} stands in what it is of`]);
    },
  });
  return found;
}

/** The last alias of a document: what stands for more and more ends in it. */
function lastAlias(document: Document): Node | null {
  const all: Node[] = [];
  visit(document, { Alias: (_key, alias) => void all.push(alias) });
  return all.at(-1) ?? null;
}

/** What a document says; of one that cannot be told, where and why. */
function readValue(document: Document): { value?: unknown; broken: [node: Node | null, reason: string][] } {
  const broken = brokenAliases(document);
  if (broken.length > 0) return { broken };
  try {
    return { value: document.toJS(), broken };
  } catch {
    // The parser gives up before an alias stands for more than the memory holds.
    return { broken: [[lastAlias(document), 'Its aliases stand for too much: write out what is meant']] };
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

  const wrong = (range: [number, number], reason: string) => problemAt(file, text, placeAt(range), 'syntax', reason);
  const unreadable = document.errors.map(({ pos, code, message }) => {
    const [reason = message] = message.split(/ at line \d+|:?\n/);
    return wrong(pos, code === 'RESOURCE_EXHAUSTION' ? 'It is nested too deep to be read' : reason);
  });
  const { value, broken } = unreadable.length > 0 ? { broken: [] } : readValue(document);
  const errors = [
    ...unreadable,
    ...broken.map(([node, reason]) => wrong([node?.range?.[0] ?? 0, node?.range?.[1] ?? 1], reason)),
  ];
  return {
    file,
    text,
    errors,
    value,
    placeOf,
    problemAt: ({ path, onKey, rule, message }) => problemAt(file, text, placeOf(path, onKey), rule, message),
  };
}
