import Negotiator from 'negotiator';

/** Characters of an `Accept` that is read: negotiator's time grows with its square where a quotation mark is never closed. */
const LONGEST = 2048;

/**
 * What an `Accept` takes of the media types on offer (RFC 9110 §12.5.1), the best first: without one all of them, and
 * nothing by one of more than 2,048 characters.
 */
export function acceptable<MediaType extends string>(
  accept: string | undefined,
  offered: readonly MediaType[],
): MediaType[] {
  if (accept === undefined) return [...offered];
  if (accept.length > LONGEST) return [];
  return new Negotiator({ headers: { accept } }).mediaTypes([...offered]) as MediaType[];
}
