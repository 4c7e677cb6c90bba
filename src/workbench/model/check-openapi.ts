import { dirname, join } from 'node:path';
import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import { keysOf } from '@accord-api/platform/contract/references';
import {
  BaseResolver,
  type Config,
  createConfig,
  getLineColLocation,
  lintDocument,
  type NormalizedProblem,
  Source,
} from '@redocly/openapi-core';
import { DEFAULTS } from './defaults.js';
import { findings, idleReferences } from './openapi-rules.js';
import type { OpenApiSource } from './openapi-source.js';
import { type FilePlace, type Problem, problemAt } from './problems.js';

/** What the specification asks of each document. */
const RULES = [
  'struct',
  'no-unresolved-refs',
  'no-identical-paths',
  'operation-operationId-unique',
  'operation-parameters-unique',
  'path-declaration-must-exist',
  'path-not-include-query',
  'path-parameters-defined',
];

/** What a document must satisfy besides for code to be generated from it; matters of taste are `accord lint`'s. */
const NEEDED = ['operation-operationId', 'security-defined'];

/** Rules that say the document has not the shape that all others rely on. */
const SHAPE = new Set([
  'syntax',
  'version',
  'struct',
  'no-unresolved-refs',
  'local-references',
  'file-references',
  'defaults',
]);

/** Whether these problems leave a document that other rules can read. */
export const hasShape = (problems: readonly Problem[]): boolean => !problems.some(({ rule }) => SHAPE.has(rule));

/** What @redocly/openapi-core finds by these rules; YAML syntax and the version first. */
async function problemsOf(source: OpenApiSource, versions: RegExp, rules: readonly string[]): Promise<Problem[]> {
  if (source.absent) return [];
  if (source.errors.length > 0) return [...source.errors];
  const document = source.authored as Partial<OpenApiDocument> | null;
  if (typeof document?.openapi !== 'string' || !versions.test(document.openapi)) {
    const wanted = versions.test('3.0.') ? 'OpenAPI 3.0 or 3.1' : 'OpenAPI 3.1';
    return [source.problemAt({ path: ['openapi'], rule: 'version', message: `Not an ${wanted} document.` })];
  }
  const idle = idleReferences(document).map(source.problemAt);
  if (idle.length > 0) return idle;
  if (source.defaultFaults.length > 0) return source.defaultFaults.map(source.problemAt);
  const configOf = (names: readonly string[]) =>
    createConfig({ rules: Object.fromEntries(names.map((rule) => [rule, 'error'])) });
  // What editors open is the text as it is authored: what its defaults add must not be what makes it an OpenAPI document.
  const ofAuthored = DEFAULTS in document ? await lintByRedocly(source, await configOf(['struct']), document) : [];
  return ofAuthored.length > 0 ? ofAuthored : lintByRedocly(source, await configOf(rules));
}

/** What makes a document no OpenAPI document of version 3.0 or 3.1, whoever wrote it and whatever for. */
export const checkOpenApiItself = (source: OpenApiSource): Promise<Problem[]> =>
  problemsOf(source, /^3\.[01]\./, RULES);

/**
 * What keeps code from being generated from a document: also that it is not written in OpenAPI 3.1, and what the generator and
 * the router need besides.
 */
export async function checkOpenApi(source: OpenApiSource): Promise<Problem[]> {
  const found = await problemsOf(source, /^3\.1\./, [...RULES, ...NEEDED]);
  return hasShape(found) && !source.absent ? [...found, ...findings(source).map(source.problemAt)] : found;
}

/** Where the files say what a problem is about: what a default says is told at the default. */
function placeOf({ location: [location] }: NormalizedProblem, source: OpenApiSource): FilePlace {
  const { file } = source;
  if (location === undefined) return { file, line: 1, column: 1 };
  const keys = 'pointer' in location && location.pointer !== undefined ? keysOf(location.pointer) : [];
  const said = source.placeOf(keys, location.reportOnKey);
  if (source.originOf(keys)[0] === DEFAULTS || said.file !== file) return said;
  const { start, end } = getLineColLocation(location);
  const length = end?.line === start.line ? end.col - start.col : 1;
  return { file, line: start.line, column: start.col, length };
}

/**
 * What Redocly's linter finds in an OpenAPI document that parses, under a configuration.
 * @param parsed which edition of it
 */
export async function lintByRedocly(
  source: OpenApiSource,
  config: Config,
  parsed: unknown = source.written,
): Promise<Problem[]> {
  const { file, text } = source;
  // Redocly's ignore file names absolute paths.
  const path = config.configPath === undefined ? file : join(dirname(config.configPath), file);
  const document = { source: new Source(path, text), parsed };
  const externalRefResolver = new BaseResolver(config.resolve);
  const problems = await lintDocument({ document, externalRefResolver, config });
  return problems
    .filter(({ ignored }) => !ignored)
    .map((problem) => {
      const [suggestion] = problem.suggest;
      const message = suggestion === undefined ? problem.message : `${problem.message} Did you mean \`${suggestion}\`?`;
      const place = placeOf(problem, source);
      const found = problemAt(place.file, source.texts.get(place.file) ?? '', place, problem.ruleId, message);
      return problem.severity === 'warn' ? { ...found, severity: 'warning' } : found;
    });
}
