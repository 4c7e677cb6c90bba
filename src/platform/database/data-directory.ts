import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { tryLock } from 'fs-native-extensions';

/**
 * Bytes that are left free: two segments of PostgreSQL's log. Where it cannot begin the next one, PostgreSQL panics, and
 * as WebAssembly does not end then but turns in a circle at the next statement, with this process.
 */
const RESERVE = 32 * 1024 * 1024;

/** A statement that writes nothing, or ends a transaction. */
const READS =
  /^\s*(?:SELECT\b(?![\s\S]*\bFOR\s+(?:NO\s+KEY\s+|KEY\s+)?(?:UPDATE|SHARE)\b)|(?:BEGIN|COMMIT|ROLLBACK|SET|LISTEN)\b)/i;

/**
 * Refuses a statement that may write while the disk is nearly full; what is read is read.
 * @returns what throws an Error with the SQLSTATE of a full disk
 */
export const diskReserveCheck =
  (directory: string) =>
  (sql: string): void => {
    if (READS.test(sql)) return;
    const { bavail, bsize } = statfsSync(directory);
    if (bavail * bsize >= RESERVE) return;
    const message = `The disk of ${directory} is full: less than ${RESERVE / 1024 / 1024} MiB are left.`;
    throw Object.assign(new Error(message), { code: '53100' });
  };

const ofSystem: Record<string, string> = {
  EACCES: 'this user may not read and write there',
  EDQUOT: 'the disk quota is used up',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file of that name',
  EPERM: 'this user may not read and write there',
  EROFS: 'it is on a file system that is read-only',
};

/** @throws Error in words where the system refuses the directory */
export function withDiskErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = ofSystem[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw cause;
    throw new Error(`The directory cannot be used: ${reason}. Mend that, or set DATABASE_URL to another.`, {
      cause,
    });
  }
}

/** @throws Error of the system for the first folder or file under `folder` that this user may not read and write */
export function checkAccess(folder: string): void {
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) checkAccess(path);
    else accessSync(path, constants.R_OK | constants.W_OK);
  }
}

/** Whether it is there. @throws Error of the system when this cannot be known */
export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

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
