import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/** Characters of an `Accept` that is read: negotiator's time grows with the square of an unclosed quotation. */
const LONGEST_ACCEPT = 2048;

/**
 * Returns the offered media types that an `Accept` takes (RFC 9110 §12.5.1), the best first. Without one it returns all; for one
 * of more than 2,048 characters none.
 */
export function acceptable<MediaType extends string>(
  accept: string | undefined,
  offered: readonly MediaType[],
): MediaType[] {
  if (accept === undefined) return [...offered];
  if (accept.length > LONGEST_ACCEPT) return [];
  return new Negotiator({ headers: { accept } }).mediaTypes([...offered]) as MediaType[];
}

/**
 * Returns all lines of a header as they came, in HTTP/1.1 and HTTP/2 alike: `headers` of Node keeps the first of two lines.
 * @param name in lower case
 */
export function linesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const one = rawHeaders[at] as string;
    if (one.length === name.length && one.toLowerCase() === name) lines.push(rawHeaders[at + 1] as string);
  }
  return lines;
}

/** The path of what was asked for, without its query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
