import t from 'tap';

/** The functions to run at the end, while files of tests are being loaded; undefined afterwards. */
let waiting: (() => unknown)[] | undefined;

/**
 * Runs a function when all tests of this process have ended. Once tap has a teardown of the process, it takes every
 * pause for the end, so the teardown is registered after all files are loaded.
 */
export function atEnd(work: () => unknown): void {
  if (waiting) waiting.push(work);
  else t.teardown(work);
}

/** Call before the files of tests are loaded. */
export function begin(): void {
  waiting = [];
}

/** Call when all files of tests are loaded, however long that took. */
export function loaded(): void {
  if (t.ended) throw new Error('Tap took a pause for the end: not all tests have run.');
  const all = waiting ?? [];
  waiting = undefined;
  for (const work of all) t.teardown(work);
}
