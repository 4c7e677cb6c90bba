import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import type { Backend, MigrationSession } from './backend.js';
import { embeddedAdapter } from './embedded-adapter.js';
import type { Listener } from './listener.js';
import { lockDirectory } from './lock.js';
import { unpack } from './unpack.js';

/** The tar of an initialised, empty database, so that initdb need not run (3 s). */
const initialised = async (): Promise<Buffer> => gunzipSync(await (await dataDir()).arrayBuffer());

/** An in-memory PostgreSQL: of the snapshot, or empty. It keeps the event loop alive until it is closed. */
export async function memory(snapshot?: Blob): Promise<PGlite> {
  return PGlite.create('memory://', { loadDataDir: snapshot ?? new Blob([await initialised()]) });
}

/**
 * PostgreSQL in this process. The directory holds `lock` and the database's own files in `postgres/`.
 * An acknowledged write survives a killed process; not a power cut, for there is no fsync.
 */
export async function openEmbedded(directory: string | undefined, shown: string, snapshot?: Blob): Promise<Backend> {
  if (directory === undefined) return backend(await memory(snapshot), () => {});
  const release = lockDirectory(directory, shown);
  try {
    return backend(await stored(directory), release);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * A first start that is killed half-way must not look like a database: it is made under another name. It is unpacked by
 * ourselves, for PGlite takes 0.4 s longer over it.
 */
async function stored(directory: string): Promise<PGlite> {
  const files = join(directory, 'postgres');
  if (existsSync(files)) return PGlite.create(files);
  const unfinished = join(directory, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  unpack(await initialised(), unfinished);
  renameSync(unfinished, files);
  return PGlite.create(files);
}

function backend(pglite: PGlite, release: () => void): Backend {
  const session: MigrationSession = {
    query: async (sql) => (await pglite.query<never>(sql)).rows,
    run: async (script) => void (await pglite.exec(script)),
  };
  const listener: Listener = {
    listen: async (channel, onSignal, onConnect) => {
      await pglite.listen(channel, onSignal);
      onConnect();
    },
    close: async () => {},
  };
  return {
    listener,
    adapter: embeddedAdapter(pglite),
    migrating: (work) => work(session),
    dump: async () => {
      await pglite.exec('CHECKPOINT');
      return pglite.dumpDataDir('none');
    },
    close: () => pglite.close().finally(release),
  };
}
