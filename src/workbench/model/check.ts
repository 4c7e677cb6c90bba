import { checkSchema } from './check-schema.js';
import type { Contracts } from './contracts.js';
import { policyProblems } from './permissions.js';
import type { Problem } from './problems.js';

/**
 * The problems of both contracts, of all that are broken at once; and of two sound ones where they contradict each other.
 * Empty when code can be generated from them.
 */
export async function check(contracts: Contracts): Promise<Problem[]> {
  // Its linter takes most of a second to load, which who only reads the contracts need not wait for.
  const { checkOpenApi } = await import('./check-openapi.js');
  const found = [...(await checkOpenApi(contracts.openapi)), ...checkSchema(contracts.schema)];
  return found.length > 0 ? found : contradictions(contracts);
}

/** Who states no permission anywhere serves the contracts otherwise, and need not know what the generator asks for. */
export const isGeneratedFrom = ({ openapi, schema }: Contracts): boolean =>
  [...openapi.texts.values()].some((text) => /\bx-permission:/.test(text)) || /@permission\b/.test(schema.text);

/** Where documents that can be parsed contradict themselves, or each other. */
export const contradictions = ({ openapi, schema, permissions }: Contracts): Problem[] =>
  policyProblems(openapi, schema, permissions);
