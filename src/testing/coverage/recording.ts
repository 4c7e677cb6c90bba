import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The number of exchanges that showed each element, by its key. */
export type Observations = Map<string, number>;

/** The folder of a project's recordings, one file per process. Git ignores it. */
export const RECORDINGS = join('coverage', 'contract');

export function note(observations: Observations, keys: Iterable<string>): void {
  for (const key of keys) observations.set(key, (observations.get(key) ?? 0) + 1);
}

const observationsByRoot = new Map<string, Observations>();

/** Returns the observations of this process, which writes them to a file of its own when it exits. */
export function observationsOf(root: string): Observations {
  const known = observationsByRoot.get(root);
  if (known) return known;
  const observations: Observations = new Map();
  observationsByRoot.set(root, observations);
  process.once('exit', () => {
    if (observations.size === 0) return;
    const folder = join(root, RECORDINGS);
    mkdirSync(folder, { recursive: true });
    // The time makes the name unique, because process ids are reused.
    const file = join(folder, `${process.pid}-${Date.now().toString(36)}.json`);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(observations))}\n`);
  });
  return observations;
}

/** Sums up all recordings since the last `clearObservations`. @throws Error for an incomplete file */
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

export const clearObservations = (root: string): void =>
  rmSync(join(root, RECORDINGS), { recursive: true, force: true });
