/** The directory of an embedded database: its lock, its free space, and the template of a new one. @module */

import { createHash } from 'node:crypto';
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
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { tryLock } from 'fs-native-extensions';
import { rootPath } from '../root.js';
import { MIGRATIONS_TABLE } from './apply-migrations.js';
import type { Migration } from './migrations.js';

/** Two WAL segments. PostgreSQL panics without room for one, and its WebAssembly build then loops forever. */
const RESERVE_BYTES = 32 * 1024 * 1024;

/** Matches statements that write nothing, or that end a transaction. */
const READ_STATEMENT =
  /^\s*(?:SELECT\b(?![\s\S]*\bFOR\s+(?:NO\s+KEY\s+|KEY\s+)?(?:UPDATE|SHARE)\b)|(?:BEGIN|COMMIT|ROLLBACK|SET|LISTEN)\b)/i;

/** Returns a function that throws an Error with SQLSTATE 53100 for a write while the disk is nearly full. */
export const diskReserveCheck =
  (directory: string) =>
  (sql: string): void => {
    if (READ_STATEMENT.test(sql)) return;
    const { bavail, bsize } = statfsSync(directory);
    if (bavail * bsize >= RESERVE_BYTES) return;
    const message = `The disk of ${directory} is full: less than ${RESERVE_BYTES / 1024 / 1024} MiB are left.`;
    throw Object.assign(new Error(message), { code: '53100' });
  };

const SYSTEM_ERRORS: Record<string, string> = {
  EACCES: 'this user may not read and write there',
  EDQUOT: 'the disk quota is used up',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file of that name',
  EPERM: 'this user may not read and write there',
  EROFS: 'it is on a file system that is read-only',
};

/** Replaces errors of the file system by a sentence for the operator. */
export function withDiskErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = SYSTEM_ERRORS[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw cause;
    throw new Error(`The directory cannot be used: ${reason}. Solve this, or set DATABASE_URL to another directory.`, {
      cause,
    });
  }
}

/** @throws Error for the first entry under `folder` that the process may not read and write */
export function checkAccess(folder: string): void {
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) checkAccess(path);
    else accessSync(path, constants.R_OK | constants.W_OK);
  }
}

export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Creates a folder and its parents. The `recursive` option of Node reports ENOENT for a read-only file system. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created the folder.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Locks the directory by an open file, because two processes corrupt it silently. A killed process leaves no lock.
 * @returns the function that unlocks
 * @throws Error if this or another process has the lock
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

const require = createRequire(import.meta.url);

interface Template {
  /** The tar of a data directory. */
  archive: Buffer;
  migrated: readonly string[];
}

/** Unzips a file at once, by the size at its end (RFC 1952). Decompression in chunks takes twice as long. */
const unzipFile = (file: Buffer): Buffer => gunzipSync(file, { chunkSize: file.readUInt32LE(file.length - 4) });

/** Returns an initialised, empty database, because initdb takes 3 s. */
export const emptyTemplate = async (): Promise<Template> => ({
  archive: unzipFile(Buffer.from(await (await dataDir()).arrayBuffer())),
  migrated: [],
});

/** Returns the path of the database that `accord build` creates. Its name contains a digest of all inputs. */
export function templatePath(migrations: readonly Migration[]): string {
  const hash = createHash('sha256').update(MIGRATIONS_TABLE);
  for (const name of ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs']) {
    hash.update(readFileSync(join(require.resolve(name), '..', '..', 'package.json')));
  }
  for (const { name, checksum } of migrations) hash.update(`${name} ${checksum}\n`);
  return rootPath('dist', `database-${hash.digest('hex').slice(0, 16)}.tar.gz`);
}

/** Returns the built database with these migrations, or an empty one. */
export async function templateOf(migrations: readonly Migration[]): Promise<Template> {
  const path = templatePath(migrations);
  if (!existsSync(path)) return emptyTemplate();
  return { archive: unzipFile(readFileSync(path)), migrated: migrations.map(({ name }) => name) };
}

const BLOCK_BYTES = 512;

/** Unpacks a trusted tar archive (POSIX ustar, names of up to 100 bytes). Names may point outside of the folder. */
export function unpackTar(archive: Buffer, folder: string): void {
  let at = 0;
  while (at < archive.length && archive[at] !== 0) {
    const text = (from: number, length: number) =>
      archive.toString('latin1', at + from, at + from + length).split('\0')[0];
    const path = join(folder, text(0, 100) ?? '');
    const size = Number.parseInt(text(124, 12) ?? '', 8);
    const content = at + BLOCK_BYTES;
    if (text(156, 1) === '5') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, archive.subarray(content, content + size), { mode: 0o600 });
    at = content + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
}
