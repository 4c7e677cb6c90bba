import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import { createConfig } from '@redocly/openapi-core';
import { DEFAULTS } from './defaults.js';
import { findings, idleReferences } from './openapi-rules.js';
import type { OpenApiSource } from './openapi-source.js';
import type { Problem } from './problems.js';
import { lintByRedocly } from './redocly.js';

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
