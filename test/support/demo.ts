import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { openDatabase } from '../../src/platform/database/open.js';
import { atEnd } from './ending.js';
import { temporaryFolder } from './process.js';

let demonstration: Promise<string> | undefined;

/**
 * The address of a directory with a demo's data that nobody has used: for a case that is not about how a start makes it, which
 * costs a server more than all the rest.
 */
export async function demoDirectory(t: Test): Promise<string> {
  demonstration ??= madeDemo();
  const copy = join(temporaryFolder(t), 'data');
  cpSync(await demonstration, copy, { recursive: true });
  return `pglite://${copy}`;
}

async function madeDemo(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'accord-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const data = join(folder, 'data');
  const database = await openDatabase(`pglite://${data}`);
  await demo.seed(database.client).finally(database.close);
  return data;
}
