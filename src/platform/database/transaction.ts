import { setTimeout as delay } from 'node:timers/promises';
import type { Send } from './statement.js';

/** A connection that is one transaction's own, as a driver has it. */
export interface Carrier {
  /** The first one begins the transaction. */
  send: Send;
  commit: () => Promise<void>;
  /** @param isLate whether a statement may still be under way that nobody waits for any more */
  rollback: (isLate: boolean) => Promise<void>;
}

/** `faultOf` knows them by their words. */
const tooLong = () => new Error('The transaction took too long');
/** A mistake of the work: it is done, or has failed, and a part of it goes on. */
const over = () => new Error('The transaction is over.');

/**
 * Commits when `work` is done, and rolls back when it throws or takes too long. Nothing of the work is sent after that, for the
 * connection is somebody else's then.
 * @param limit milliseconds for the work
 */
export async function inTransaction<R>(
  { send, commit, rollback }: Carrier,
  limit: number,
  work: (send: Send) => Promise<R>,
): Promise<R> {
  const end = new AbortController();
  /** Why nothing is sent any more. */
  let refusal: (() => Error) | undefined;
  const late = delay(limit, undefined, { signal: end.signal, ref: false }).then(() => {
    refusal = tooLong;
    throw tooLong();
  });
  late.catch(() => {});
  try {
    const done = work((statement, values) => (refusal ? Promise.reject(refusal()) : send(statement, values)));
    const result = await Promise.race([done, late]);
    refusal = over;
    await commit();
    return result;
  } catch (error) {
    const isLate = refusal === tooLong;
    refusal ??= over;
    await rollback(isLate).catch(() => {});
    throw error;
  } finally {
    end.abort();
  }
}

/** @param command what the database did at COMMIT: it rolls a transaction back in which a statement has failed */
export function committed(command: string): void {
  if (command !== 'COMMIT') throw new Error('A statement of the transaction failed, and nobody waited for it.');
}
