import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import type { Backend, MigrationSession } from './backend.js';
import { isThere, keepingReserve, onDisk, tryAccess } from './disk.js';
import { embeddedAdapter } from './embedded-adapter.js';
import { embeddedStatements } from './embedded-statements.js';
import type { Listener } from './listener.js';
import { lockDirectory } from './lock.js';
import type { TimeLimits } from './time-limits.js';
import { unpack } from './unpack.js';

/** The tar of an initialised, empty database, so that initdb need not run (3 s). */
const initialised = async (): Promise<Buffer> => gunzipSync(await (await dataDir()).arrayBuffer());

/** An in-memory PostgreSQL: of the snapshot, or empty. It keeps the event loop alive until it is closed. */
export async function memory(snapshot?: Blob): Promise<PGlite> {
  return PGlite.create('memory://', { loadDataDir: snapshot ?? new Blob([await initialised()]) });
}

/**
 * PostgreSQL in this process. The directory holds `lock`, the database's own files in `postgres/`, and `created`, by which a
 * directory that has lost them is told from a new one. An acknowledged write survives a killed process; not a power cut, for
 * there is no fsync.
 * @throws Error that says what is wrong with the directory and what to do about it
 */
export async function openEmbedded(
  directory: string | undefined,
  { snapshot, limits }: { snapshot?: Blob | undefined; limits: TimeLimits },
): Promise<Backend> {
  if (directory === undefined)
    return backend(
      await memory(snapshot),
      () => {},
      () => {},
      limits,
    );
  const release = onDisk(() => lockDirectory(directory));
  try {
    return backend(await stored(directory), release, keepingReserve(directory), limits);
  } catch (error) {
    release();
    throw error;
  }
}

/** A first start that is killed half-way must not look like a database: it is made under another name. */
async function stored(directory: string): Promise<PGlite> {
  const files = join(directory, 'postgres');
  const created = join(directory, 'created');
  if (!isThere(files) && !isThere(created)) {
    const unfinished = join(directory, 'unfinished');
    const archive = await initialised();
    onDisk(() => {
      rmSync(unfinished, { recursive: true, force: true });
      mkdirSync(unfinished, { mode: 0o700 });
      // By ourselves, for PGlite takes 0.4 s longer over it.
      unpack(archive, unfinished);
      renameSync(unfinished, files);
    });
  }
  if (!onDisk(() => isThere(join(files, 'PG_VERSION')))) throw damaged('its files in postgres/ are gone');
  const opened = await PGlite.create(files).catch((cause: unknown) => {
    // As little as it can read what it may not; nothing is wrong with that.
    onDisk(() => tryAccess(files));
    throw damaged('PostgreSQL cannot read its files in postgres/', cause);
  });
  if (!isThere(created)) onDisk(() => writeFileSync(created, `${new Date().toISOString()}\n`));
  return opened;
}

/** What an operator can do about it; nothing is begun anew by itself, for that would bury what may be saved. */
const damaged = (what: string, cause?: unknown): Error =>
  new Error(
    `The database is damaged: ${what}. Put a copy of the directory back, or move it away to begin with an empty database.`,
    { cause },
  );

/** @param admit throws for a statement that must not run now */
function backend(pglite: PGlite, release: () => void, admit: (sql: string) => void, limits: TimeLimits): Backend {
  const session: MigrationSession = {
    query: async (sql) => (await pglite.query<never>(sql)).rows,
    run: async (script) => {
      admit(script);
      await pglite.exec(script);
    },
  };
  const listener: Listener = {
    listen: async (channel, onSignal, onConnect) => {
      await pglite.listen(channel, onSignal);
      onConnect();
    },
    prove: async () => true,
    watch: () => {},
    isHearing: () => true,
    close: async () => {},
  };
  return {
    listener: () => listener,
    adapter: embeddedAdapter(pglite, admit),
    statements: embeddedStatements(pglite, admit, limits),
    migrating: (work) => work(session),
    alone: (work) => work(),
    dump: async () => {
      await pglite.exec('CHECKPOINT');
      return pglite.dumpDataDir('none');
    },
    close: () => pglite.close().finally(release),
  };
}
