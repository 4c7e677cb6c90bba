import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loading } from './ending.js';
import { ROOT } from './process.js';

/**
 * Runs each test file of a folder of `test`, by name, in this process: what one has loaded, the next need not.
 * @param folder its name; `test/<folder>.test.ts` is what tap starts
 */
export async function testsIn(folder: string): Promise<void> {
  const files = readdirSync(join(ROOT, 'test', folder)).filter((name) => name.endsWith('.test.ts'));
  await loading(async () => {
    for (const file of files.sort()) await import(`../${folder}/${file}`);
  });
}
