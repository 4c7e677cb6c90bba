import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateErrors, generatePolicy } from '../../../src/workbench/generate/generate.js';
import { readCodes } from '../../../src/workbench/model/codes.js';
import { contractsOf } from '../../../src/workbench/model/contracts.js';
import { ROOT } from '../process.js';

export const FIXTURE = join(ROOT, 'test', 'support', 'library');

export const contracts = {
  openapi: readFileSync(join(FIXTURE, 'openapi.yaml'), 'utf8'),
  schema: readFileSync(join(FIXTURE, 'schema.graphql'), 'utf8'),
};

/** The generated files, by name. */
export function generated(texts: typeof contracts): Record<string, string> {
  const { openapi, permissions } = contractsOf(texts);
  return {
    'errors.ts': generateErrors(readCodes(openapi.document)),
    'policy.ts': generatePolicy(permissions),
  };
}
