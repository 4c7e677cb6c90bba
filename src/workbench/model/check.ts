import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../platform/contract/document.js';
import { checkSchema } from './check-schema.js';
import { policyProblems, readPermissions } from './permissions.js';
import type { Problem } from './problems.js';
import { readYaml } from './yaml-source.js';

/** The two contracts as text. What is served, checked and generated from is this text and no rendition of it. */
export interface Contracts {
  openapi: string;
  schema: string;
}

/** Reads both contracts of the project in a directory. Rejects when one is missing. */
export async function readContracts(root: string): Promise<Contracts> {
  const [openapi, schema] = await Promise.all(
    ['openapi.yaml', 'schema.graphql'].map((file) => readFile(join(root, file), 'utf8')),
  );
  return { openapi: openapi ?? '', schema: schema ?? '' };
}

/**
 * The problems of both contracts, of all that are broken at once; and of two sound ones where they contradict each other.
 * Empty when code can be generated from them.
 */
export async function check({ openapi, schema }: Contracts): Promise<Problem[]> {
  // Its linter takes most of a second to load, which who only reads the contracts need not wait for.
  const { checkOpenApi } = await import('./check-openapi.js');
  const source = readYaml(openapi, 'openapi.yaml');
  const found = [...(await checkOpenApi(openapi, source.file, source)), ...checkSchema(schema)];
  if (found.length > 0) return found;
  return contradictions({ openapi, schema }, source);
}

/** Where two contracts that can be parsed contradict themselves or each other. */
export function contradictions({ openapi, schema }: Contracts, source = readYaml(openapi, 'openapi.yaml')): Problem[] {
  return policyProblems({ openapi, schema }, readPermissions(source.value as OpenApiDocument, schema, source));
}
