import type { Keys } from '@accord-api/platform/contract/document';
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { type Place, type Problem, problemAt } from './problems.js';

export interface Finding {
  path: Keys;
  /** Places the problem at the key instead of the value. */
  onKey?: boolean;
  rule: string;
  message: string;
}

export interface YamlSource {
  file: string;
  text: string;
  /** Syntax errors. If there are any, `value` is undefined. */
  errors: Problem[];
  value: unknown;
  placeOf: (path: Keys, onKey?: boolean) => Place;
  problemAt: (finding: Finding) => Problem;
}

/** Returns the range of a value or of its key, or of the key of the nearest parent. */
function rangeOf(document: Document, path: Keys, onKey: boolean): [number, number] {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) && parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  const node = onKey && pair ? pair.key : document.getIn(path, true);
  if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  return path.length === 0 ? [0, 1] : rangeOf(document, path.slice(0, -1), true);
}

function readValue(document: Document): { value?: unknown; broken: [node: Node | undefined, reason: string][] } {
  const broken: [Node | undefined, string][] = [];
  const aliases: Node[] = [];
  visit(document, {
    Alias: (_key, alias, path) => {
      aliases.push(alias);
      const target = alias.resolve(document);
      if (target === undefined) broken.push([alias, `There is no anchor &${alias.source} before this alias`]);
      else if (path.some((ancestor) => ancestor === target))
        broken.push([alias, `The alias *${alias.source} is inside its own anchor`]);
    },
  });
  if (broken.length > 0) return { broken };
  try {
    return { value: document.toJS(), broken };
  } catch {
    // The parser limits how much aliases expand to. The last alias refers to the others.
    return { broken: [[aliases.at(-1), 'Its aliases expand to too many values: write the values out']] };
  }
}

/** Parses a YAML text. @param file its name in problems */
export function readYaml(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const placeAt = ([start, end]: [number, number]): Place => {
    const { line, col } = lines.linePos(start);
    return { line, column: col, length: end - start };
  };
  const placeOf = (path: Keys, onKey = false) => placeAt(rangeOf(document, path, onKey));
  const syntaxError = (range: [number, number], reason: string) =>
    problemAt(file, text, placeAt(range), 'syntax', reason);
  const unreadable = document.errors.map(({ pos, code, message }) => {
    const [reason = message] = message.split(/ at line \d+|:?\n/);
    return syntaxError(pos, code === 'RESOURCE_EXHAUSTION' ? 'It is nested too deep to be read' : reason);
  });
  const { value, broken } = unreadable.length > 0 ? { broken: [] } : readValue(document);
  const aliasErrors = broken.map(([node, reason]) =>
    syntaxError([node?.range?.[0] ?? 0, node?.range?.[1] ?? 1], reason),
  );
  return {
    file,
    text,
    errors: [...unreadable, ...aliasErrors],
    value,
    placeOf,
    problemAt: ({ path, onKey, rule, message }) => problemAt(file, text, placeOf(path, onKey), rule, message),
  };
}
