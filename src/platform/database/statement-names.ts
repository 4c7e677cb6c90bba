import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * Names for prepared statements, so that PostgreSQL plans a repeated text once for each connection.
 * A server keeps a named statement until its connection ends, so names are bounded, not recycled: a text gets one when it is
 * seen for the second time, until those that have one weigh `limit`; all others run unnamed (the empty string).
 * @returns gives the name; `weight` says how much more than a plain statement one takes
 */
export function statementNames(limit = 500): (query: { sql: string }, weight?: number) => string {
  const names = new Map<string, string>();
  const seenOnce = new LRUCache<string, true>({ max: limit });
  let given = 0;
  return ({ sql }, weight = 1) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (given + weight > limit || !seenOnce.has(sql)) {
      seenOnce.set(sql, true);
      return '';
    }
    // Of the text and not a counter: a pooler in front of the server may give one connection to two instances.
    const name = `accord_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
    names.set(sql, name);
    given += weight;
    return name;
  };
}
