import { LRUCache } from 'lru-cache';
import { type Statements, statement } from '../database/statement.js';
import type { Listing } from './listing.js';

/** Rows that are counted whenever somebody asks; the contract says how many (`X-Total-Count`). */
const ALWAYS_COUNTED = 1000;
/** Milliseconds that the number of more rows than these is kept. */
const KEPT = 60_000;
/** Lists whose numbers are kept. */
const LISTS = 10_000;

export interface Counting {
  statements: Statements;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * How many rows a list has, whose cost does not grow with them: of a long list the number is kept for a minute, also when it is
 * short by then.
 * @param owner the column by which a list is a part of the table; its value is asked with
 */
export function countedRows({ statements, now }: Counting, table: string, owner?: string) {
  const part = (place: number) => (owner === undefined ? '' : `AND ${owner} = $${place}`);
  const few = statement<[most: number, ...owner: number[]], { count: number }>(
    `${table}, as far as they are always counted`,
    `SELECT count(*)::int AS count FROM (SELECT FROM ${table} WHERE id > 0 ${part(2)} ORDER BY id LIMIT $1) AS few`,
  );
  const all = statement<number[], { count: number }>(
    `${table}, counted`,
    `SELECT count(*)::int AS count FROM ${table} WHERE id > 0 ${part(1)}`,
  );
  const kept = new LRUCache<string, { count: Promise<number>; until: number }>({ max: LISTS });

  return (...owner: number[]): Listing<object>['count'] =>
    async () => {
      const list = owner.join();
      const known = kept.get(list);
      if (known && known.until > now()) return known.count;
      const [{ count = 0 } = {}] = await statements.read(few, ALWAYS_COUNTED + 1, ...owner);
      if (count <= ALWAYS_COUNTED) return count;
      // Who asks meanwhile waits for the same.
      const counting = statements.run(all, ...owner).then(([row]) => row?.count ?? count);
      kept.set(list, { count: counting, until: now() + KEPT });
      counting.catch(() => kept.delete(list));
      return counting;
    };
}
