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

/** Compares strongly (RFC 9110 §13.1.1): a weak tag never matches. */
function matches(header: string, tag: string): boolean {
  return header.trim() === '*' || header.split(',').some((one) => one.trim() === tag);
}

/** Returns a check of `If-Match`, which throws PRECONDITION_FAILED (RFC 9110 §13.1.1). */
export function ifMatch(header: string | undefined): (row: Versioned) => void {
  return (row) => {
    if (header === undefined || matches(header, resourceTag(row))) return;
    throw new Failure('PRECONDITION_FAILED', 'If-Match does not name the present version of this resource.');
  };
}
