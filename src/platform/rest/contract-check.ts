import type { OpenApiDocument } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import { knownSchemes } from './security.js';

/**
 * Holds the contract against the code before anything listens: every protected operation names schemes, and
 * each scheme has a handler.
 * @throws Error that lists all differences
 */
export function checkContract({ components }: OpenApiDocument, operations: Operation[]): void {
  const declared = Object.keys(components.securitySchemes ?? {});
  const unmapped = declared.filter((scheme) => !knownSchemes.has(scheme));
  const problems = [
    ...unmapped.map((scheme) => `security scheme ${scheme} has no handler`),
    ...operations.flatMap((operation) => checkOperation(operation)),
  ];
  if (problems.length > 0) throw new Error(`openapi.yaml and the code disagree:\n  ${problems.join('\n  ')}`);
}

function checkOperation({ operationId, security, permission }: Operation): string[] {
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  const unknown = schemes.filter((scheme) => !knownSchemes.has(scheme));
  const problems = unknown.map((scheme) => `requires ${scheme}, which has no handler`);
  if (permission !== 'public' && schemes.length === 0) problems.push('has a permission and takes no credentials');
  return problems.map((problem) => `${operationId} ${problem}`);
}
