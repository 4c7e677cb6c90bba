import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rootPath } from '../root.js';
import type { OpenApiDocument } from './document.js';

/** A text without its `servers`, which follow the first part. */
type Split = readonly [before: string, after: string];

/** What code generation makes of `openapi.yaml` for the service: `generated/contract.json`. */
export interface GeneratedContract {
  /** The SHA-256 of each file that it was made of, by its path in the project. */
  sources: Record<string, string>;
  /** The complete document. References stay, so that what operations share is there once. */
  openapi: OpenApiDocument;
  /** The published edition, in OpenAPI 3.1 and in 3.0. Each address of the service has its own `servers`. */
  editions: { yaml: Split; json: Split; json30: Split };
  /** The servers of the contract that are not on the developer's machine, and the lines of each in YAML. */
  servers: { server: { url: string }; yaml: string }[];
}

/** The name of the file in `generated/`. */
export const CONTRACT_FILE = 'contract.json';

export const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Reads `generated/contract.json`. Throws if it is missing, or if a file of the contract was edited after it was made. */
export function readGeneratedContract(): GeneratedContract {
  const path = rootPath('generated', CONTRACT_FILE);
  const remedy = 'Run `npm run build` or `npx accord codegen`.';
  if (!existsSync(path)) throw new Error(`There is no generated/${CONTRACT_FILE}. ${remedy}`);
  const contract = JSON.parse(readFileSync(path, 'utf8')) as GeneratedContract;
  for (const [file, digest] of Object.entries(contract.sources)) {
    const source = rootPath(file);
    if (existsSync(source) && digestOf(readFileSync(source)) !== digest)
      throw new Error(`${file} is not what generated/${CONTRACT_FILE} was made of. ${remedy}`);
  }
  return contract;
}
