import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';

/**
 * Takes the data directory for this process, creating it when absent. Two processes in one directory corrupt each other
 * silently. It is a lock of the operating system on an open file, so a killed process leaves none behind; the
 * file itself stays and only tells the holder's process id.
 * Returns the release. Throws when another holder, in this process or another, has the directory.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
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
