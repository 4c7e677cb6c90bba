import type { Operation } from '../contract/openapi.js';
import { placeOf, prefixOf } from '../contract/versions.js';

/**
 * Where the refresh token is used in a version: the innermost folder of all operations that take its cookie, for a browser
 * sends it nowhere else.
 * @param operations of every version
 * @param version undefined for a contract without versions
 */
export function refreshPath(operations: readonly Operation[], version: string | undefined, cookie: string): string {
  const folders = operations
    .filter(({ path }) => placeOf(path)?.version === version)
    .filter(({ operation }) => operation.parameters.some((one) => one.in === 'cookie' && one.name === cookie))
    .map(({ path }) => path.replace(/\/[^/]*{.*/, '').split('/'));
  const [first] = folders;
  if (first === undefined) return version === undefined ? '/' : prefixOf(version);
  const apart = first.findIndex((segment, at) => folders.some((folder) => folder[at] !== segment));
  return first.slice(0, apart < 0 ? first.length : apart).join('/') || '/';
}
