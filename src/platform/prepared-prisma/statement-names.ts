import { createHash } from 'node:crypto';
import { seenBefore } from './seen-before.js';

/** Names for prepared statements. A server keeps a named statement until its connection ends, so names are not recycled. */
export interface StatementNames {
  /** Returns the name of a text. Returns an empty string when all names are given away: the statement is not prepared then. */
  of: (text: string) => string;
  /** Like `of`, but gives a name only when the text is seen for the second time. */
  ofRepeated: (text: string) => string;
  /** Gives other names from now on: the tables have changed, and PostgreSQL refuses to run what it prepared before. */
  renew: () => void;
}

/**
 * @param limit how many names are given away at most
 */
export function statementNames(limit: number): StatementNames {
  const names = new Map<string, string>();
  const isSecond = seenBefore(limit);
  let revision = 0;
  function of(text: string): string {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= limit) return '';
    // A hash of the text, because a pooler may give one server connection to processes of two versions.
    const hash = createHash('sha256').update(`${text}${revision}`).digest('base64url').slice(0, 22);
    const name = `prepared_${hash}`;
    names.set(text, name);
    return name;
  }
  return {
    of,
    ofRepeated(text) {
      return names.has(text) || isSecond(text) ? of(text) : '';
    },
    renew() {
      revision++;
      names.clear();
    },
  };
}
