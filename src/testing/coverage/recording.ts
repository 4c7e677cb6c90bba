import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How often the tests have seen each element of the contracts, by its key. */
export type Observations = Map<string, number>;

/** Where in a project the tests leave what they saw: a file for each process. Ignored by git. */
export const RECORDINGS = join('coverage', 'contract');

/** Adds keys that were seen together. */
export function note(observations: Observations, keys: Iterable<string>): void {
  for (const key of keys) observations.set(key, (observations.get(key) ?? 0) + 1);
}

/** What this process has seen of the contracts of the project in a folder. */
const seenIn = new Map<string, Observations>();

/**
 * Returns the observations of this process, which it writes when it ends to a file of its own, so that processes need not wait for one
 * another.
 */
export function observationsOf(root: string): Observations {
  const known = seenIn.get(root);
  if (known) return known;
  const seen: Observations = new Map();
  seenIn.set(root, seen);
  process.once('exit', () => {
    if (seen.size === 0) return;
    const folder = join(root, RECORDINGS);
    mkdirSync(folder, { recursive: true });
    // With the time, because process numbers are used again.
    const file = join(folder, `${process.pid}-${Date.now().toString(36)}.json`);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(seen))}\n`);
  });
  return seen;
}

/** Adds up what all processes have seen since the last `clearObservations`. @throws Error for a file that is not whole */
export function readObservations(root: string): { observations: Observations; recordings: number } {
  const folder = join(root, RECORDINGS);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const observations: Observations = new Map();
  for (const name of files) {
    const recorded: Record<string, number> = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const [key, count] of Object.entries(recorded)) observations.set(key, (observations.get(key) ?? 0) + count);
  }
  return { observations, recordings: files.length };
}

/** Forgets what the tests have seen, for a run of all of them. */
export const clearObservations = (root: string): void =>
  rmSync(join(root, RECORDINGS), { recursive: true, force: true });
