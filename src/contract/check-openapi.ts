import { createConfig, getLineColLocation, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { type Finding, findings } from './openapi-rules.js';
import { type Place, type Problem, problemAt } from './problems.js';

/** What a document must satisfy for code to be generated from it; matters of taste are `npm run lint`'s. */
const RULES = [
  'struct',
  'no-unresolved-refs',
  'no-identical-paths',
  'operation-operationId',
  'operation-operationId-unique',
  'operation-parameters-unique',
  'path-declaration-must-exist',
  'path-not-include-query',
  'path-parameters-defined',
  'security-defined',
];

/** The range of the value, or of the key, at a path of the parsed document; of the nearest ancestor if there is none. */
export function rangeOf(document: Document, path: (string | number)[], onKey: boolean): [number, number] {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = onKey && pair !== undefined ? pair.key : document.getIn(path, true);
  if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  return path.length === 0 ? [0, 1] : rangeOf(document, path.slice(0, -1), true);
}

function ownProblems(file: string, text: string, document: Document, lines: LineCounter): Problem[] {
  const problemOf = ({ path, onKey = false, rule, message }: Finding) => {
    const [start, end] = rangeOf(document, path, onKey);
    const { line, col } = lines.linePos(start);
    return problemAt(file, text, { line, column: col, length: end - start }, rule, message);
  };
  return findings(document.toJS()).map(problemOf);
}

function placeOf({ location: [location] }: NormalizedProblem): Place {
  if (location === undefined) return { line: 1, column: 1 };
  const { start, end } = getLineColLocation(location);
  const length = end?.line === start.line ? end.col - start.col : 1;
  return { line: start.line, column: start.col, length };
}

async function lint(file: string, text: string): Promise<Problem[]> {
  const config = await createConfig({ rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])) });
  const problems = await lintFromString({ source: text, absoluteRef: file, config });
  return problems.map((problem) => {
    const [suggestion] = problem.suggest;
    const message = suggestion === undefined ? problem.message : `${problem.message} Did you mean \`${suggestion}\`?`;
    return problemAt(file, text, placeOf(problem), problem.ruleId, message);
  });
}

/**
 * The problems of the text of an OpenAPI 3.1 document: YAML syntax first; then, for a document that parses, what
 * @redocly/openapi-core finds and what the generator needs besides. `file` names the text in the problems.
 */
export async function checkOpenApi(text: string, file = 'openapi.yaml'): Promise<Problem[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    return document.errors.map(({ pos: [start, end], message }) => {
      const { line, col } = lines.linePos(start);
      const [reason = message] = message.split(/ at line \d+|:?\n/);
      return problemAt(file, text, { line, column: col, length: end - start }, 'syntax', reason);
    });
  }
  const version: unknown = document.get('openapi');
  if (typeof version !== 'string' || !version.startsWith('3.1.')) {
    const place = lines.linePos(rangeOf(document, ['openapi'], false)[0]);
    return [problemAt(file, text, { line: place.line, column: place.col }, 'version', 'Not an OpenAPI 3.1 document.')];
  }
  const linted = await lint(file, text);
  // Our rules rely on the shape that these ones establish.
  const shapeless = linted.some(({ rule }) => rule === 'struct' || rule === 'no-unresolved-refs');
  return shapeless ? linted : [...linted, ...ownProblems(file, text, document, lines)];
}
