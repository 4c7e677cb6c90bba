import { faultOf } from '../database/faults.js';
import type { Listener } from '../database/listener.js';
import { singleFlight } from '../database/single-flight.js';

/** Milliseconds that a reading is good for. */
const FRESH = 400;

export interface UpToDateOptions {
  prove: Listener['prove'];
  /** Reads anew all that is kept in memory and told of by signals. */
  read: () => Promise<unknown>;
}

/**
 * What is decided from memory is decided by what was signalled up to a second ago, whatever becomes of the connection that
 * hears the signals: where it is not proved to hear, the tables are read instead, once for all who ask. Costs nothing while
 * nobody asks.
 * @returns resolves when memory is up to date; rejects when that cannot be seen to, for the database is away
 */
export function upToDate({ prove, read }: UpToDateOptions): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY;

  const readAnew = singleFlight(async () => {
    const began = performance.now();
    await read();
    readAt = began;
  });

  return async () => {
    if (performance.now() - readAt < FRESH || (await prove().catch(unlessAway))) return;
    await readAnew();
  };
}

/** A database that takes no signal may still be read; one that is away is not asked again. */
function unlessAway(error: unknown): false {
  if (['unavailable', 'denied', 'timeout'].includes(faultOf(error).kind)) throw error;
  return false;
}
