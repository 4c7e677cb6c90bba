/** Runs PostgreSQL in this process, behind the socket interface of `pg`. @module */

import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { escapeIdentifier, type Pool } from 'pg';
import { applyMigrations } from './apply-migrations.js';
import { type Backend, openPool, TIME_LIMITS_MS, type TimeLimits } from './backend.js';
import {
  checkAccess,
  diskReserveCheck,
  emptyTemplate,
  exists,
  lockDirectory,
  templateOf,
  unpackTar,
  withDiskErrors,
} from './data-directory.js';
import { databaseGeneration } from './generation.js';
import { type Migration, RESET_SESSION, withMigrationSession } from './migrations.js';
import type { Listener } from './signals.js';

/** Types of messages (PostgreSQL's protocol, "Message Formats"). */
const TERMINATE = 'X'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);

const message = (type: string, ...body: number[]) => [type.charCodeAt(0), 0, 0, 0, body.length + 4, ...body];
const STARTUP_ANSWER = Buffer.from([
  ...message('R', 0, 0, 0, 0),
  ...message('K', 0, 0, 0, 1, 0, 0, 0, 1),
  ...message('Z', 'I'.charCodeAt(0)),
]);

/**
 * Returns a function that opens a socket to PGlite, for the `stream` option of `pg`. A new socket resets the session.
 */
export function pgliteSockets(pglite: PGlite): () => Duplex {
  let current: Duplex | undefined;

  async function execute(messages: Uint8Array): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const onRawData = (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk));
    await pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData });
    return withoutRepeatedReady(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  }

  return () => {
    let hasStarted = false;
    async function send(chunk: Buffer): Promise<void> {
      if (pglite.closed) throw new Error('The database is closed.');
      if (!hasStarted) {
        hasStarted = true;
        current?.destroy();
        current = socket;
        await pglite.exec('ROLLBACK');
        // A new socket continues the session of the previous one.
        await pglite.exec(`${RESET_SESSION}; SELECT pg_advisory_unlock_all()`);
        socket.push(STARTUP_ANSWER);
      } else if (chunk[0] === TERMINATE) socket.push(null);
      else {
        const answer = await execute(chunk);
        await nextTurn();
        socket.push(answer);
      }
    }
    const socket = new Duplex({
      read() {},
      write: (chunk: Buffer, _encoding, done) => void send(chunk).then(() => done(), done),
      writev: (chunks, done) =>
        void send(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))).then(() => done(), done),
    });
    const self = () => socket;
    const connect = () => {
      process.nextTick(() => socket.emit('connect'));
      return socket;
    };
    return Object.assign(socket, { connect, setNoDelay: self, setKeepAlive: self, ref: self, unref: self });
  };
}

/** Removes the second ReadyForQuery that PGlite 0.5.8 sends after an error. It would end the next query of `pg`. */
function withoutRepeatedReady(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  let wasReady = false;
  for (let at = 0; at < answer.length; ) {
    const next = at + 1 + answer.readInt32BE(at + 1);
    const isReady = answer[at] === READY_FOR_QUERY;
    if (isReady && wasReady) {
      parts.push(answer.subarray(from, at));
      from = next;
    }
    wasReady = isReady;
    at = next;
  }
  return parts.length === 0 ? answer : Buffer.concat([...parts, answer.subarray(from)]);
}

/** The WebAssembly build writes to all its buffers at start, so the default would take 128 MB of memory. */
const SERVER_SETTINGS = { shared_buffers: '32MB' };
const startParams = [
  ...PGlite.defaultStartParams,
  ...Object.entries(SERVER_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** Creates an in-memory database from a tar, or an empty one. Keeps the event loop alive until it is closed. */
export async function createMemoryDatabase(archive?: Blob | Buffer): Promise<PGlite> {
  const content = archive ?? (await emptyTemplate()).archive;
  const loadDataDir = content instanceof Blob ? content : new Blob([content]);
  return PGlite.create('memory://', { startParams, loadDataDir });
}

export interface EmbeddedOptions {
  /** A tar with the content of a new in-memory database. */
  snapshot?: Blob | undefined;
  /** Selects the template of a new database; see `templateOf`. */
  migrations: readonly Migration[];
}

/**
 * Opens PostgreSQL in this process. The directory contains `lock`, the files of PostgreSQL in `postgres/`, and
 * `created`, which distinguishes a damaged directory from a new one. Committed writes survive a killed process, but not
 * a power failure, because PGlite does not call fsync.
 * @throws Error that describes the problem of the directory and its solution
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
    const { pglite, migrated } = await openDirectory(directory, migrations);
    return { ...backend(pglite, limits, release, diskReserveCheck(directory)), migrated };
  } catch (error) {
    release();
    throw error;
  }
}

/** Unpacks a new database under another name, so that a killed start leaves no partial database. */
async function openDirectory(directory: string, migrations: readonly Migration[]) {
  const files = join(directory, 'postgres');
  const created = join(directory, 'created');
  let migrated: readonly string[] = [];
  if (!exists(files) && !exists(created)) {
    const unfinished = join(directory, 'unfinished');
    const template = await templateOf(migrations);
    withDiskErrors(() => {
      rmSync(unfinished, { recursive: true, force: true });
      mkdirSync(unfinished, { mode: 0o700 });
      // PGlite needs 0.4 s longer to unpack.
      unpackTar(template.archive, unfinished);
      renameSync(unfinished, files);
    });
    migrated = template.migrated;
  }
  if (!withDiskErrors(() => exists(join(files, 'PG_VERSION')))) throw damageError('its files in postgres/ are gone');
  const pglite = await PGlite.create(files, { startParams }).catch((cause: unknown) => {
    // Missing permissions look like damage.
    withDiskErrors(() => checkAccess(files));
    throw damageError('PostgreSQL cannot read its files in postgres/', cause);
  });
  if (!exists(created)) withDiskErrors(() => writeFileSync(created, `${new Date().toISOString()}\n`));
  return { pglite, migrated };
}

/** A damaged database is not replaced automatically, because an operator may be able to repair it. */
const damageError = (what: string, cause?: unknown): Error =>
  new Error(
    `The database is damaged: ${what}. Put a copy of the directory back, or move it away to begin with an empty database.`,
    { cause },
  );

/** Opens a pool on the only connection. @param admit throws for a statement that must not run now */
export const embeddedPool = (pglite: PGlite, limits = TIME_LIMITS_MS, admit?: (sql: string) => void): Pool =>
  openPool({
    // Prevents `pg` from reading PGUSER, PGSSLMODE and similar variables.
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
  const generation = databaseGeneration(
    (text, values) => pool.query(text, values),
    () => false,
  );
  return {
    pool,
    generation,
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
    watch: () => {},
    isReadOnly: () => false,
    close: async () => {
      generation.close();
      // `pool.end` waits for open transactions, which PostgreSQL rolls back when it stops.
      void pool.end();
      await pglite.close().finally(release);
    },
  };
}

/** Receives notifications on the connection of the pool. */
function embeddedListener(pool: Pool): Listener {
  // Several instances in a process may share one database.
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

/** Builds the file that `templateOf` reads: a new embedded database with these migrations, as tar.gz. */
export async function makeTemplate(migrations: readonly Migration[]): Promise<Buffer> {
  const { withMigrationSession, dump, close } = await openEmbedded(undefined, {
    migrations: [],
    limits: TIME_LIMITS_MS,
  });
  try {
    await withMigrationSession((session) => applyMigrations(session, migrations));
    return gzipSync(Buffer.from(await (await dump()).arrayBuffer()));
  } finally {
    await close();
  }
}
