import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.js';

/** Goes with the packages when they are installed anew. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'accord');

/**
 * A file or folder that takes long to make and is the same for every process: made once, and kept between runs.
 * @param name says all that it was made of
 * @param make makes it at the path that it is given
 * @returns its path
 */
export async function kept(name: string, make: (path: string) => unknown): Promise<string> {
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  // Under another name first, for others may be about to read it.
  const unfinished = `${path}.${process.pid}`;
  mkdirSync(FOLDER, { recursive: true });
  await make(unfinished);
  try {
    renameSync(unfinished, path);
  } catch (error) {
    // Another process has made the same folder meanwhile.
    if (!existsSync(path)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  return path;
}
