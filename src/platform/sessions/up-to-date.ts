import { andThen, type Soon } from '../calls/at-once.js';
import { faultOf } from '../database/faults.js';
import type { Listener } from '../database/listener.js';
import { singleFlight } from '../database/single-flight.js';

/** Milliseconds that a reading is good for. */
const FRESH = 400;

interface UpToDateOptions {
  prove: Listener['prove'];
  /** Reads anew all that is kept in memory and told of by signals. */
  read: () => Promise<unknown>;
}

/**
 * What is decided from memory is decided by what was signalled up to a second ago, whatever becomes of the connection that
 * hears the signals: where it is not proved to hear, the tables are read instead, once for all who ask. Costs nothing while
 * nobody asks.
 * @returns what is to be waited for until memory is up to date, if anything; rejects when that cannot be seen to, for the database is
 *   away
 */
export function upToDate({ prove, read }: UpToDateOptions): () => Soon<void> {
  let readAt = Number.NEGATIVE_INFINITY;

  const readAnew = singleFlight(async () => {
    const began = performance.now();
    await read();
    readAt = began;
  });

  const unlessHeard = (heard: boolean): Soon<void> => (heard ? undefined : readAnew());

  return () => {
    if (performance.now() - readAt < FRESH) return undefined;
    const heard = prove();
    return andThen(heard instanceof Promise ? heard.catch(unlessAway) : heard, unlessHeard);
  };
}

/** A database that takes no signal may still be read; one that is away is not asked again. */
function unlessAway(error: unknown): false {
  if (['unavailable', 'denied', 'timeout'].includes(faultOf(error).kind)) throw error;
  return false;
}
