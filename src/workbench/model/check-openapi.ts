import { createConfig } from '@redocly/openapi-core';
import type { OpenApiDocument } from 'accord/contract/document';
import { findings } from './openapi-rules.js';
import type { OpenApiSource } from './openapi-source.js';
import type { Problem } from './problems.js';
import { lintByRedocly } from './redocly.js';

/** What a document must satisfy for code to be generated from it; matters of taste are `accord lint`'s. */
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

/** Rules that say the document has not the shape that all others rely on. */
const SHAPE = new Set(['syntax', 'version', 'struct', 'no-unresolved-refs', 'local-references']);

/** Whether these problems leave a document that other rules can read. */
export const hasShape = (problems: readonly Problem[]): boolean => !problems.some(({ rule }) => SHAPE.has(rule));

/**
 * The problems of an OpenAPI 3.1 document: YAML syntax first; then, for a document that parses, what @redocly/openapi-core
 * finds and what the generator needs besides.
 */
export async function checkOpenApi(source: OpenApiSource): Promise<Problem[]> {
  if (source.errors.length > 0) return source.errors;
  const document = source.written as Partial<OpenApiDocument> | null;
  if (typeof document?.openapi !== 'string' || !document.openapi.startsWith('3.1.')) {
    return [source.problemAt({ path: ['openapi'], rule: 'version', message: 'Not an OpenAPI 3.1 document.' })];
  }
  const config = await createConfig({ rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])) });
  const linted = await lintByRedocly(source, config);
  return hasShape(linted) ? [...linted, ...findings(source).map(source.problemAt)] : linted;
}
