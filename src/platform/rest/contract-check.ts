import { disagreement } from '../calls/access.js';
import type { OpenApiDocument } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import { knownSchemes } from './security.js';

/**
 * Holds the contract against the code before anything listens: every protected operation names schemes that have a
 * handler and a permission that the policy table confirms; every public one says so.
 * @throws Error that lists all differences
 */
export function checkContract({ components }: OpenApiDocument, operations: Operation[]): void {
  const declared = Object.keys(components.securitySchemes ?? {});
  const unmapped = declared.filter((scheme) => !knownSchemes.has(scheme));
  const problems = [
    ...unmapped.map((scheme) => `security scheme ${scheme} has no handler`),
    ...operations.flatMap((operation) => checkOperation(operation)),
  ];
  // An operation stands here once for each version that has it.
  const told = [...new Set(problems)];
  if (told.length > 0) throw new Error(`openapi.yaml and the code disagree:\n  ${told.join('\n  ')}`);
}

function checkOperation({ operationId, security, permission, furtherPermissions }: Operation): string[] {
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  const unknown = schemes.filter((scheme) => !knownSchemes.has(scheme));
  const problems = unknown.map((scheme) => `requires ${scheme}, which has no handler`);
  if (permission !== 'public') {
    if (schemes.length === 0) problems.push('has a permission and takes no credentials');
    problems.push(...[permission, ...furtherPermissions].map(disagreement).filter((problem) => problem !== undefined));
  }
  return problems.map((problem) => `${operationId} ${problem}`);
}
