import { KNOWN_FOR } from '../accounts/networks.js';
import { type Statements, statement } from '../database/statement.js';

/** Names the advisory lock of this work. */
const EXPIRY_LOCK = 0x41434558;
/** Rows of one statement: a session may have three thousand tokens, and a statement four seconds. */
const BATCH = 100;

/**
 * Deletes a batch of what was over at `$1`, a row for each, where nobody else is at this work meanwhile.
 * @param chosen which rows those are, in SQL; `free` says whether it is this one's turn
 */
const deletion = (table: string, key: string, chosen: string) =>
  statement<[before: Date], object>(
    `what is over of ${table}`,
    `WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${EXPIRY_LOCK}) AS free)
    DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table}, turn WHERE free AND ${chosen}) RETURNING true`,
  );

const sessions = deletion('sessions', 'id', `(expires_at <= $1 OR revoked_at IS NOT NULL) LIMIT ${BATCH}`);
const throttles = deletion('throttles', 'key', `resets_at <= $1 LIMIT ${BATCH} FOR UPDATE OF throttles SKIP LOCKED`);
const networks = deletion(
  'known_networks',
  'user_id, network',
  `last_seen <= $1 LIMIT ${BATCH} FOR UPDATE OF known_networks SKIP LOCKED`,
);

/**
 * Deletes ended sessions with their tokens, counters of attempts whose window is over, and networks that were not seen for
 * long. Safe on many instances: one of them works and the others leave it to it.
 * @param now milliseconds since the epoch
 * @returns how many rows were deleted, tokens apart
 */
export async function removeExpired(statements: Statements, now: number): Promise<number> {
  let removed = 0;
  for (const [one, before] of [
    [sessions, now],
    [throttles, now],
    [networks, now - KNOWN_FOR],
  ] as const) {
    let found: number;
    do {
      found = (await statements.run(one, new Date(before))).length;
      removed += found;
    } while (found === BATCH);
  }
  return removed;
}
