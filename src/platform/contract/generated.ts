import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rootPath } from '../root.js';
import type { OpenApiDocument } from './document.js';

/** A text without its `servers`, which belong between the two parts. */
type SplitText = readonly [before: string, after: string];

/** The content of `generated/contract.json`, which code generation creates from `openapi.yaml`. */
export interface GeneratedContract {
  /** SHA-256 digests of the source files, by their paths in the project. */
  sources: Record<string, string>;
  openapi: OpenApiDocument;
  /** The published edition. Each address of the service has its own `servers`. */
  editions: { yaml: SplitText; json: SplitText; json30: SplitText };
  servers: { server: { url: string }; yaml: string }[];
}

export const CONTRACT_FILE = 'contract.json';

export const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** @throws Error if the file is missing or older than the contract */
export function readGeneratedContract(): GeneratedContract {
  const path = rootPath('generated', CONTRACT_FILE);
  const remedy = 'Run `npm run build` or `npx accord codegen`.';
  if (!existsSync(path)) throw new Error(`There is no generated/${CONTRACT_FILE}. ${remedy}`);
  const contract = JSON.parse(readFileSync(path, 'utf8')) as GeneratedContract;
  for (const [file, digest] of Object.entries(contract.sources)) {
    const source = rootPath(file);
    if (existsSync(source) && digestOf(readFileSync(source)) !== digest)
      throw new Error(`${file} does not match generated/${CONTRACT_FILE}. ${remedy}`);
  }
  return contract;
}
