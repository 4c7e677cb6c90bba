import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { rootPath } from '../root.js';
import { type Migration, TABLE } from './migrations.js';

const require = createRequire(import.meta.url);

/** What a new embedded database begins with. */
export interface Template {
  /** The tar of a data directory. */
  archive: Buffer;
  /** The names of the migrations that it has had. */
  migrated: readonly string[];
}

/** The bytes of a file of gzip (RFC 1952), which ends with how many there are; at once, for piece by piece takes twice as long. */
const unzipped = (file: Buffer): Buffer => gunzipSync(file, { chunkSize: file.readUInt32LE(file.length - 4) });

/** An initialised, empty database, so that initdb need not run (3 s). */
export const emptyTemplate = async (): Promise<Template> => ({
  archive: unzipped(Buffer.from(await (await dataDir()).arrayBuffer())),
  migrated: [],
});

/**
 * Where `accord build` puts an embedded database that has had these migrations, and holds nothing else. Its name has a digest of
 * all that it was made of: what was made of others is not found.
 */
export function templatePath(migrations: readonly Migration[]): string {
  const hash = createHash('sha256').update(TABLE);
  for (const name of ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs']) {
    hash.update(readFileSync(join(require.resolve(name), '..', '..', 'package.json')));
  }
  for (const { name, checksum } of migrations) hash.update(`${name} ${checksum}\n`);
  return rootPath('dist', `database-${hash.digest('hex').slice(0, 16)}.tar.gz`);
}

/** For a database that is to have these migrations: with all of them, where that was built, or else empty. */
export async function templateOf(migrations: readonly Migration[]): Promise<Template> {
  const path = templatePath(migrations);
  if (!existsSync(path)) return emptyTemplate();
  return { archive: unzipped(readFileSync(path)), migrated: migrations.map(({ name }) => name) };
}

const BLOCK = 512;

/**
 * Writes the files and folders of a tar archive (POSIX ustar, names of up to 100 bytes) into an existing folder. Only for
 * archives that are trusted: a name may lead out of the folder.
 */
export function unpack(archive: Buffer, folder: string): void {
  let at = 0;
  while (at < archive.length && archive[at] !== 0) {
    const text = (from: number, length: number) =>
      archive.toString('latin1', at + from, at + from + length).split('\0')[0];
    const path = join(folder, text(0, 100) ?? '');
    const size = Number.parseInt(text(124, 12) ?? '', 8);
    const content = at + BLOCK;
    if (text(156, 1) === '5') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, archive.subarray(content, content + size), { mode: 0o600 });
    at = content + Math.ceil(size / BLOCK) * BLOCK;
  }
}
