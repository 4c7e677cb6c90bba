import { GraphQLError, validateSchema } from 'graphql';
import type { Contracts } from './contracts.js';
import { missingPermissions, policyProblems } from './permissions.js';
import { type Problem, type Purpose, problemAt } from './problems.js';
import { firstWordOf, type SdlSource } from './sdl-source.js';

function problemOf(sdl: SdlSource, error: GraphQLError): Problem {
  const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 };
  const { length } = firstWordOf(error.nodes?.[0]);
  const { name = sdl.file, body = sdl.text } = error.source ?? {};
  return problemAt(name, body, { line, column, length }, error.nodes ? 'schema' : 'syntax', error.message);
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
  // Loading the linter takes most of a second.
  const { checkOpenApi } = await import('./check-openapi.js');
  const found = [...(await checkOpenApi(contracts.openapi)), ...checkSchema(contracts.schema)];
  return found.length > 0 ? found : policyProblems(contracts);
}

/** Returns true if a contract has a permission. Code generation requires permissions of all operations. */
export const hasPermissions = ({ openapi, schema }: Contracts): boolean =>
  [...openapi.texts.values()].some((text) => /\bx-permission:/.test(text)) || /@permission\b/.test(schema.text);
