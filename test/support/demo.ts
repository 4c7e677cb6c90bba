import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { madeOf } from './databases.js';
import { kept } from './kept.js';
import { temporaryFolder } from './process.js';

type Fill = (client: Database['client']) => Promise<unknown>;

/**
 * Returns the address of a data directory with unused demo data. Creating the data takes most of a server's first
 * start.
 */
export const demoDirectory = (t: Test): Promise<string> => copied(t, 'demo', demo.seed);

/** Returns the address of a data directory with a migrated, empty database. */
export const emptyDirectory = (t: Test): Promise<string> => copied(t, 'empty', async () => {});

async function copied(t: Test, name: string, fill: Fill): Promise<string> {
  const sources = ['src/application/seed.ts', 'src/platform/database/embedded.ts'];
  const made = await kept(`${name}-${madeOf(...sources)}`, async (path) => {
    const database = await openDatabase(`pglite://${path}`);
    await fill(database.client).finally(database.close);
  });
  const copy = join(temporaryFolder(t), 'data');
  cpSync(made, copy, { recursive: true });
  return `pglite://${copy}`;
}
