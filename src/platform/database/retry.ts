import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseNotOpened, faultOf, reasonOf } from './faults.js';

/** Milliseconds between attempts, and for all attempts. */
const PAUSE_MS = 500;
const RETRY_LIMIT_MS = 30_000;

const SLOW_MS = 3000;

/** Faults that may pass, such as a starting or busy server. */
const TRANSIENT = new Set(['unavailable', 'timeout', 'serialization']);

export async function reportIfSlow<T>(message: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.warn(message), SLOW_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Repeats the work while the database is unavailable. Prints the reason once.
 * @throws DatabaseNotOpened after RETRY_LIMIT_MS; other errors immediately
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + RETRY_LIMIT_MS;
  for (let isReported = false; ; isReported = true) {
    try {
      return await work();
    } catch (error) {
      if (!TRANSIENT.has(faultOf(error).kind)) throw error;
      if (performance.now() + PAUSE_MS > end) {
        const waited = `Waited ${RETRY_LIMIT_MS / 1000} s for the database. ${reasonOf(error)}`;
        throw new DatabaseNotOpened(waited, { cause: error });
      }
      if (!isReported) console.warn(`Waiting up to ${RETRY_LIMIT_MS / 1000} s for the database. ${reasonOf(error)}`);
      await delay(PAUSE_MS);
    }
  }
}
