import type { IncomingMessage } from 'node:http';

/**
 * All lines of a header as they came, in HTTP/1.1 and HTTP/2 alike: Node's own `headers` keeps the first of two lines and hides
 * the other.
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
