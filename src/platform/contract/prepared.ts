import { createHash } from 'node:crypto';
import { rootPath } from '../root.js';

/**
 * Where `accord build` puts `openapi.yaml` as JSON, for to read the YAML takes 0.2 s of a start. The name has a digest of
 * the text that it was made of: what was made of another text is not found.
 */
export const preparedPath = (yaml: Buffer): string =>
  rootPath('dist', `openapi-${createHash('sha256').update(yaml).digest('hex').slice(0, 16)}.json`);
