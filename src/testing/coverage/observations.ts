import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How often the tests have seen each element of the contracts, by its key. */
export type Observations = Map<string, number>;

/** Where in a project the tests leave what they saw: a file for each process. Ignored by git. */
export const RECORDINGS = join('coverage', 'contract');

/** Adds keys that were seen together. */
export function note(observations: Observations, keys: Iterable<string>): void {
  for (const key of keys) observations.set(key, (observations.get(key) ?? 0) + 1);
}

/**
 * Leaves what this process has seen in a file of its own, so that processes need not wait for one another; nothing when it
 * saw nothing. Synchronous, since it is called at the end of the process, and to be called once.
 */
export function writeObservations(root: string, observations: Observations): void {
  if (observations.size === 0) return;
  const folder = join(root, RECORDINGS);
  mkdirSync(folder, { recursive: true });
  // The time besides, for a number of a process is given again.
  const file = join(folder, `${process.pid}-${Date.now().toString(36)}.json`);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(observations))}\n`);
}

async function listed(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('.json'));
}

/**
 * What all processes have seen since the last `clearObservations`, and how many they were. Rejects on a file that is not
 * whole.
 */
export async function readObservations(root: string): Promise<{ observations: Observations; recordings: number }> {
  const folder = join(root, RECORDINGS);
  const files = await listed(folder);
  const observations: Observations = new Map();
  for (const name of files) {
    const recorded: Record<string, number> = JSON.parse(await readFile(join(folder, name), 'utf8'));
    for (const [key, count] of Object.entries(recorded)) observations.set(key, (observations.get(key) ?? 0) + count);
  }
  return { observations, recordings: files.length };
}

/** Forgets what the tests have seen, for a run of all of them. */
export const clearObservations = (root: string): void =>
  rmSync(join(root, RECORDINGS), { recursive: true, force: true });
