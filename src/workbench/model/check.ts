import { dirname, join } from 'node:path';
import { keysOf, type OpenApiDocument } from '@accord-api/platform/contract/document';
import {
  BaseResolver,
  type Config,
  createConfig,
  getLineColLocation,
  lintDocument,
  type NormalizedProblem,
  Source,
} from '@redocly/openapi-core';
import { GraphQLError, validateSchema } from 'graphql';
import type { Contracts } from './contracts.js';
import { DEFAULTS } from './defaults.js';
import { circularReferences, findings } from './openapi-rules.js';
import type { OpenApiSource } from './openapi-source.js';
import { missingPermissions, policyProblems } from './permissions.js';
import { type FilePlace, type Problem, type Purpose, problemAt } from './problems.js';
import { firstWordOf, type SdlSource } from './sdl-source.js';

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

const GENERATION_RULES = ['operation-operationId', 'security-defined'];

/** The rules that report a document of a shape on which other rules would fail. */
const SHAPE = new Set([
  'syntax',
  'version',
  'struct',
  'no-unresolved-refs',
  'local-references',
  'file-references',
  'defaults',
]);

export const hasShape = (problems: readonly Problem[]): boolean => !problems.some(({ rule }) => SHAPE.has(rule));

/**
 * Returns the problems of a REST contract. Reading needs a valid document of OpenAPI 3.0 or 3.1. Generation needs OpenAPI 3.1, and
 * what the generator and the router depend on.
 */
export async function checkOpenApi(source: OpenApiSource, purpose: Purpose = 'generation'): Promise<Problem[]> {
  if (source.errors.length > 0) return [...source.errors];
  if (source.absent) return [];
  const isGeneration = purpose === 'generation';
  const document = source.authored as Partial<OpenApiDocument> | null;
  const version = String(document?.openapi);
  if (!version.startsWith('3.1.') && (isGeneration || !version.startsWith('3.0.'))) {
    const message = `Not an OpenAPI ${isGeneration ? '3.1' : '3.0 or 3.1'} document.`;
    return [source.problemAt({ path: ['openapi'], rule: 'version', message })];
  }
  const unreadable = [...circularReferences(document), ...source.defaultFaults];
  if (unreadable.length > 0) return unreadable.map(source.problemAt);
  const configOf = (names: readonly string[]) =>
    createConfig({ rules: Object.fromEntries(names.map((rule) => [rule, 'error'])) });
  // Editors open the document without its defaults, so it must be valid without them.
  const ofAuthored =
    DEFAULTS in (document ?? {}) ? await lintByRedocly(source, await configOf(['struct']), document) : [];
  if (ofAuthored.length > 0) return ofAuthored;
  const found = await lintByRedocly(source, await configOf(isGeneration ? [...RULES, ...GENERATION_RULES] : RULES));
  return isGeneration && hasShape(found) ? [...found, ...findings(source).map(source.problemAt)] : found;
}

/** Returns the place of a problem in the files. A problem of a default is placed at the default. */
function placeOf({ location: [location] }: NormalizedProblem, source: OpenApiSource): FilePlace {
  const { file } = source;
  if (location === undefined) return { file, line: 1, column: 1 };
  const keys = 'pointer' in location && location.pointer !== undefined ? keysOf(location.pointer) : [];
  const place = source.placeOf(keys, location.reportOnKey);
  if (source.originOf(keys)[0] === DEFAULTS || place.file !== file) return place;
  const { start, end } = getLineColLocation(location);
  const length = end?.line === start.line ? end.col - start.col : 1;
  return { file, line: start.line, column: start.col, length };
}

/**
 * Returns the problems that Redocly's linter finds with a configuration.
 * @param parsed the edition of the document to lint
 */
export async function lintByRedocly(
  source: OpenApiSource,
  config: Config,
  parsed: unknown = source.written,
): Promise<Problem[]> {
  const { file, text } = source;
  // Redocly's ignore file needs absolute paths.
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

const OF_CORE = /^Unknown directive "@(permission|constraint|coverage)"\.$/;

function problemOf(sdl: SdlSource, error: GraphQLError): Problem {
  const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 };
  const { length } = firstWordOf(error.nodes?.[0]);
  const { name = sdl.file, body = sdl.text } = error.source ?? {};
  const advice = OF_CORE.test(error.message) ? ' Define it, or name core in `x-parts` of openapi.yaml.' : '';
  const rule = error.nodes ? 'schema' : 'syntax';
  return problemAt(name, body, { line, column, length }, rule, `${error.message}${advice}`);
}

/** Returns the syntax errors of a GraphQL contract, or else the errors of its schema. */
export function checkSchema(sdl: SdlSource, purpose: Purpose = 'generation'): Problem[] {
  if (sdl.absent) return [];
  try {
    if (sdl.errors.length > 0) return sdl.errors.map((error) => problemOf(sdl, error));
    const problems = validateSchema(sdl.schema).map((error) => problemOf(sdl, error));
    return purpose === 'generation' ? [...problems, ...missingPermissions(sdl)] : problems;
  } catch (error) {
    if (error instanceof GraphQLError) return [problemOf(sdl, error)];
    throw error;
  }
}

/** Returns the problems of each contract, or the contradictions between two valid contracts. */
export async function check(contracts: Contracts): Promise<Problem[]> {
  const found = [...(await checkOpenApi(contracts.openapi)), ...checkSchema(contracts.schema)];
  return found.length > 0 ? found : policyProblems(contracts);
}

/** Returns true if a contract has a permission. Code generation requires permissions of all operations. */
export const hasPermissions = ({ openapi, schema }: Contracts): boolean =>
  [...openapi.texts.values()].some((text) => /\bx-permission:/.test(text)) ||
  [...schema.texts.values()].some((text) => /@permission\b/.test(text));
