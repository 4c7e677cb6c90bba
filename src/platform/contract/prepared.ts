import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rootPath } from '../root.js';
import type { OpenApiDocument } from './document.js';
import type { EditionText, OlderText } from './published-text.js';

/** What `openapi.yaml` says, as it is prepared. */
interface PreparedDocument {
  document: OpenApiDocument;
  /** A digest of each other file that it was made of, by its path in the project. */
  parts: Record<string, string>;
}

/** What was prepared of a contract; the texts as far as they were made, and read when they are asked for. */
interface PreparedContract {
  document: OpenApiDocument;
  edition: () => EditionText | undefined;
  older: () => OlderText | undefined;
}

export const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/**
 * Where `accord build` puts what `openapi.yaml` says, for to read the YAML takes 0.2 s of a start, and to write it as long again:
 * the complete document, and the texts of the published edition, which are read only when somebody asks for them. The name has a
 * digest of the text that it was made of: what was made of another text is not found.
 */
export const preparedPath = (kind: 'openapi' | 'published' | 'published-3.0', yaml: Buffer): string =>
  rootPath('dist', `${kind}-${digestOf(yaml).slice(0, 16)}.json`);

const isCurrent = ([path, digest]: [string, string]): boolean =>
  existsSync(rootPath(path)) && digestOf(readFileSync(rootPath(path))) === digest;

/** What was made of a text and of its parts as they are now; undefined where nothing was. */
export function preparedContract(yaml: Buffer): PreparedContract | undefined {
  const read = (kind: Parameters<typeof preparedPath>[0]): unknown => {
    const path = preparedPath(kind, yaml);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  };
  const { document, parts } = (read('openapi') ?? {}) as Partial<PreparedDocument>;
  if (document === undefined || !Object.entries(parts ?? {}).every(isCurrent)) return undefined;
  return {
    document,
    edition: () => read('published') as EditionText | undefined,
    older: () => read('published-3.0') as OlderText | undefined,
  };
}
