import { createHash } from 'node:crypto';
import { rootPath } from '../root.js';

/**
 * Where `accord build` puts what `openapi.yaml` says, for to read the YAML takes 0.2 s of a start, and to write it as long again:
 * the complete document, and the texts of the published edition. The name has a digest of the text that it was made of: what was made
 * of another text is not found.
 */
export const preparedPath = (kind: 'openapi' | 'published', yaml: Buffer): string =>
  rootPath('dist', `${kind}-${createHash('sha256').update(yaml).digest('hex').slice(0, 16)}.json`);
