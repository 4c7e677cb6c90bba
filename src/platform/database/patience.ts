import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseNotOpened, faultOf, reasonOf } from './faults.js';

/** Milliseconds between two attempts. */
const PAUSE = 500;

/** Milliseconds for all attempts of one step of a start. */
const START_PATIENCE = 30_000;

/** Milliseconds after which a start that is silent says what it is at. */
const SILENCE = 3000;

/** What may pass while one waits: a server that is starting, busy, or behind a network that is. */
const PASSING = new Set(['unavailable', 'timeout', 'serialization']);

/** Says what is waited for when it takes long, without a word on why: nothing has failed yet. */
export async function telling<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.error(sentence), SILENCE);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Tries until it works, for as long as what is wrong may pass: whoever starts a service often starts its database with it.
 * What is waited for is told once.
 * @throws DatabaseNotOpened that says how long it waited, and for what; at once, what no wait helps against
 */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + START_PATIENCE;
  for (let told = false; ; told = true) {
    try {
      return await work();
    } catch (error) {
      if (!PASSING.has(faultOf(error).kind)) throw error;
      if (performance.now() + PAUSE > end) {
        const waited = `Waited ${START_PATIENCE / 1000} s for the database. ${reasonOf(error)}`;
        throw new DatabaseNotOpened(waited, { cause: error });
      }
      if (!told) console.error(`Waiting up to ${START_PATIENCE / 1000} s for the database. ${reasonOf(error)}`);
      await delay(PAUSE);
    }
  }
}
