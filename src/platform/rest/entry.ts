import type { Operation } from '../contract/openapi.js';
import { placeOf, prefixOf } from '../contract/versions.js';

/** Where a reader begins. */
export interface RestEntry {
  /** What the addresses of each version begin with. */
  prefixes: string[];
  /** The first address of the newest version that can be read with a name and a password, and without knowing more. */
  sample: string | undefined;
}

/** @param served the versions, oldest first */
export const restEntry = (operations: Operation[], served: readonly string[]): RestEntry => ({
  prefixes: served.map(prefixOf),
  sample: operations.find(
    ({ method, path, security }) =>
      method === 'GET' &&
      placeOf(path)?.version === served.at(-1) &&
      !path.includes('{') &&
      security.some((alternative) => 'basicAuth' in alternative),
  )?.path,
});
