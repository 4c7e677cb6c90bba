import { Failure } from './errors.js';

/** A row that counts the changes of its representation. */
export interface Versioned {
  readonly id: number;
  readonly version: number;
}

/**
 * Returns the strong entity tag of a row (RFC 9110 §8.8.3).
 * @example
 * return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order) };
 */
export const resourceTag = ({ id, version }: Versioned): string => `"${id}-${version}"`;

/** Returns the failure of an `If-Match` without the row's tag. A weak tag never matches (RFC 9110 §13.1.1). */
export function preconditionFailure(header: string, row: Versioned): Failure | undefined {
  const tag = resourceTag(row);
  if (header.trim() === '*' || header.split(',').some((one) => one.trim() === tag)) return undefined;
  return new Failure('PRECONDITION_FAILED', 'If-Match does not name the present version of this resource.');
}
