import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.js';

/** An installation deletes the folder. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'accord');

/**
 * Returns the path of a cached file or folder, which all processes and runs share.
 * @param name identifies everything that the contents depend on
 * @param make creates it at the given path
 */
export async function kept(name: string, make: (path: string) => unknown): Promise<string> {
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  // The rename makes it visible when it is complete.
  const unfinished = `${path}.${process.pid}`;
  mkdirSync(FOLDER, { recursive: true });
  await make(unfinished);
  try {
    renameSync(unfinished, path);
  } catch (error) {
    // Another process has created the same folder.
    if (!existsSync(path)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  return path;
}
