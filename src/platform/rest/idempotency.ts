import type { KeyedRequest } from '../calls/access.js';
import type { Operation } from '../contract/openapi.js';
import { isPlain } from '../contract/references.js';
import type { ReadRequest } from './validation.js';

/**
 * The key of a request, for an operation whose contract declares `Idempotency-Key`. One key is good for one content: the
 * path's parameters and the body, whatever the order of its members.
 */
export function keyedRequest(
  { operationId }: Operation,
  { path, headers, body }: ReadRequest,
): KeyedRequest | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  return { operation: operationId, key, content: () => JSON.stringify({ path, body }, sorted) };
}

const sorted = (_key: string, value: unknown): unknown =>
  isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
