import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
