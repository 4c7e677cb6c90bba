import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { escapeIdentifier, type Pool } from 'pg';
import { type Backend, TIME_LIMITS, type TimeLimits } from './backend.js';
import { checkAccess, diskReserveCheck, exists, lockDirectory, withDiskErrors } from './data-directory.js';
import type { Listener } from './listener.js';
import { applyMigrations, type Migration, withMigrationSession } from './migrations.js';
import { pgliteSockets } from './pglite-socket.js';
import { openPool } from './pool.js';
import { emptyTemplate, templateOf, unpack } from './template.js';

/**
 * PostgreSQL as WebAssembly writes over all of its buffers when it begins, so that they take their size of memory at once: 128 MB
 * by its own default. What they do not hold is in the buffers of the system.
 */
const SETTINGS = { shared_buffers: '32MB' };
const startParams = [
  ...PGlite.defaultStartParams,
  ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** An in-memory PostgreSQL: of the tar of a data directory, or empty. It keeps the event loop alive until it is closed. */
export async function createMemoryDatabase(archive?: Blob | Buffer): Promise<PGlite> {
  const content = archive ?? (await emptyTemplate()).archive;
  const loadDataDir = content instanceof Blob ? content : new Blob([content]);
  return PGlite.create('memory://', { startParams, loadDataDir });
}

export interface EmbeddedOptions {
  /** The content of a new database in memory. */
  snapshot?: Blob | undefined;
  /** What a new database will have; see `templateOf`. */
  migrations: readonly Migration[];
}

/**
 * PostgreSQL in this process. The directory holds `lock`, the database's own files in `postgres/`, and `created`, by which a
 * directory that has lost them is told from a new one. An acknowledged write survives a killed process; not a power cut, for
 * there is no fsync.
 * @throws Error that says what is wrong with the directory and what to do about it
 */
export async function openEmbedded(
  directory: string | undefined,
  { snapshot, migrations, limits }: EmbeddedOptions & { limits: TimeLimits },
): Promise<Backend> {
  if (directory === undefined) {
    const { archive, migrated } = snapshot ? { archive: snapshot, migrated: [] } : await templateOf(migrations);
    return { ...backend(await createMemoryDatabase(archive), limits), migrated };
  }
  const release = withDiskErrors(() => lockDirectory(directory));
  try {
    const { pglite, migrated } = await stored(directory, migrations);
    return { ...backend(pglite, limits, release, diskReserveCheck(directory)), migrated };
  } catch (error) {
    release();
    throw error;
  }
}

/** A first start that is killed half-way must not look like a database: it is made under another name. */
async function stored(directory: string, migrations: readonly Migration[]) {
  const files = join(directory, 'postgres');
  const created = join(directory, 'created');
  let migrated: readonly string[] = [];
  if (!exists(files) && !exists(created)) {
    const unfinished = join(directory, 'unfinished');
    const template = await templateOf(migrations);
    withDiskErrors(() => {
      rmSync(unfinished, { recursive: true, force: true });
      mkdirSync(unfinished, { mode: 0o700 });
      // By ourselves, for PGlite takes 0.4 s longer over it.
      unpack(template.archive, unfinished);
      renameSync(unfinished, files);
    });
    migrated = template.migrated;
  }
  if (!withDiskErrors(() => exists(join(files, 'PG_VERSION')))) throw damaged('its files in postgres/ are gone');
  const pglite = await PGlite.create(files, { startParams }).catch((cause: unknown) => {
    // As little as it can read what it may not; nothing is wrong with that.
    withDiskErrors(() => checkAccess(files));
    throw damaged('PostgreSQL cannot read its files in postgres/', cause);
  });
  if (!exists(created)) withDiskErrors(() => writeFileSync(created, `${new Date().toISOString()}\n`));
  return { pglite, migrated };
}

/** What an operator can do about it; nothing is begun anew by itself, for that would bury what may be saved. */
const damaged = (what: string, cause?: unknown): Error =>
  new Error(
    `The database is damaged: ${what}. Put a copy of the directory back, or move it away to begin with an empty database.`,
    { cause },
  );

/**
 * Opens the pool of the one connection that a PGlite database has.
 * @param admit throws for a statement that must not run now
 */
export const embeddedPool = (pglite: PGlite, limits = TIME_LIMITS, admit?: (sql: string) => void): Pool =>
  openPool({
    // Nothing is taken from the environment of a client of PostgreSQL, such as PGUSER and PGSSLMODE.
    ...{ user: 'postgres', database: 'postgres', host: 'embedded', ssl: false },
    stream: pgliteSockets(pglite) as never,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: limits.connect,
    admit,
  });

function backend(
  pglite: PGlite,
  limits: TimeLimits,
  release: () => void = () => {},
  admit?: (sql: string) => void,
): Omit<Backend, 'migrated'> {
  const pool = embeddedPool(pglite, limits, admit);
  return {
    pool,
    withMigrationSession: (work) => withMigrationSession(pool, work),
    exclusively: (work) => work(),
    dump: async () => {
      const client = await pool.connect();
      try {
        await client.query('CHECKPOINT');
        return await pglite.dumpDataDir('none');
      } finally {
        client.release();
      }
    },
    listener: () => embeddedListener(pool),
    close: async () => {
      // A transaction that is not done would hold it up; PostgreSQL rolls that back when it ends.
      void pool.end();
      await pglite.close().finally(release);
    },
  };
}

/** Hears what is signalled on the connection of the pool: nothing can come between a signal and this process. */
function embeddedListener(pool: Pool): Listener {
  // Several instances may share one database in a process.
  const signals = new EventEmitter().setMaxListeners(0);
  pool.on('connect', (client) =>
    client.on('notification', ({ channel, payload = '' }) => signals.emit(`on ${channel}`, payload)),
  );
  return {
    listen: async (channel, onSignal, onConnect) => {
      signals.on(`on ${channel}`, onSignal);
      await pool.query(`LISTEN ${escapeIdentifier(channel)}`);
      onConnect();
    },
    checkListening: () => true,
    watch: () => {},
    isListening: () => true,
    close: async () => {},
  };
}

/**
 * What `templateOf` finds: a new embedded database that has had these migrations, as a tar under gzip. Rejects where one of them
 * fails there.
 */
export async function makeTemplate(migrations: readonly Migration[]): Promise<Buffer> {
  const { withMigrationSession, dump, close } = await openEmbedded(undefined, { migrations: [], limits: TIME_LIMITS });
  try {
    await withMigrationSession((session) => applyMigrations(session, migrations));
    return gzipSync(Buffer.from(await (await dump()).arrayBuffer()));
  } finally {
    await close();
  }
}
