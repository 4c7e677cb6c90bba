import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tryLock } from 'fs-native-extensions';

/** Like `recursive`, which says ENOENT for whatever else is wrong, such as a file system that is read-only. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Takes the data directory for this process, creating it when absent. Two processes in one directory corrupt each other
 * silently. It is a lock of the operating system on an open file, so a killed process leaves none behind; the
 * file itself stays and only tells the holder's process id.
 * Returns the release. Throws when another holder, in this process or another, has the directory.
 */
export function lockDirectory(directory: string): () => void {
  makeFolder(directory);
  const path = join(directory, 'lock');
  const file = openSync(path, 'a+', 0o600);
  if (!tryLock(file)) {
    closeSync(file);
    const holder = readFileSync(path, 'utf8').trim();
    throw new Error(
      `The directory is in use by process ${holder || '(starting)'}. Stop it first, or set DATABASE_URL to another directory.`,
    );
  }
  ftruncateSync(file);
  writeSync(file, `${process.pid}\n`);
  return () => {
    ftruncateSync(file);
    closeSync(file);
  };
}
