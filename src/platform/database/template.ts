import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { rootPath } from '../root.js';
import { MIGRATIONS_TABLE, type Migration } from './migrations.js';

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
