import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.js';

/** Goes with the packages when they are installed anew. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'accord');

/**
 * What takes long to make, and is the same for every process: made once, and kept between runs.
 * @param name a file's, which says all that it was made of
 */
export async function kept(name: string, make: () => Promise<Uint8Array>): Promise<Buffer> {
  const file = join(FOLDER, name);
  try {
    return readFileSync(file);
  } catch {
    const made = Buffer.from(await make());
    mkdirSync(FOLDER, { recursive: true });
    // Under another name first, for others may be about to read it.
    writeFileSync(`${file}.${process.pid}`, made);
    renameSync(`${file}.${process.pid}`, file);
    return made;
  }
}
