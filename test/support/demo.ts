import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { madeOf } from './databases.js';
import { kept } from './kept.js';
import { ask, basic, type Server, temporaryFolder } from './process.js';

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

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

const credentials = basic(DEMO_ADMIN, DEMO_PASSWORD);

/** Sends a request of the demo's administrator. */
export async function post({ url }: Server, path: string, headers: Record<string, string> = {}, body: object = {}) {
  const response = await ask(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentials, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { id: number; status: string } };
}

export async function get<T>({ url }: Server, path: string): Promise<T> {
  const response = await ask(`${url}/api/v1${path}`, { headers: credentials });
  return (await response.json()) as T;
}

/** Kills a server, and waits for its end. */
export async function killed(server: Server): Promise<void> {
  server.kill('SIGKILL');
  await server.ended;
}
