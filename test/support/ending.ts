import t from 'tap';

/** What waits for the last file of tests to be loaded; undefined when none is being loaded. */
let waiting: (() => unknown)[] | undefined;

/**
 * Does something when all tests of this process are done. Tap, once it has a teardown of the whole process, takes every pause
 * for the end: it gets none before all tests are known.
 */
export function atEnd(work: () => unknown): void {
  if (waiting) waiting.push(work);
  else t.teardown(work);
}

/** Files of tests are loaded from now on. */
export function begin(): void {
  waiting = [];
}

/** All are loaded: they all count, however long one took to load when those before it were done. */
export function loaded(): void {
  if (t.ended) throw new Error('Tap took a pause for the end: not all tests have run.');
  const all = waiting ?? [];
  waiting = undefined;
  for (const work of all) t.teardown(work);
}
