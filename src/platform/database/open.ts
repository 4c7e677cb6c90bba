import type { Reading, Statement } from '@accord-api/prepared-prisma';
import type { QueryConfig } from 'pg';
import type { DatabaseAddress } from './address.js';
import type { Backend, Connections, PreparedPrisma, SharedConnections, TimeLimits } from './backend.js';
import { BOUNDED, dataModel, PrismaClient } from './client.js';
import { type DatabaseClock, databaseClock } from './clock.js';
import { exactly } from './exact.js';
import { type ClientKind, type DatabaseOptions, openMigrated } from './open-migrated.js';
import type { Dependency } from './outages.js';
import { plainClient } from './plain-client.js';
import { type Listener, notify } from './signals.js';

export interface Database
  extends Pick<Listener, 'listen' | 'checkListening' | 'isListening'>,
    Pick<Backend, 'exclusively' | 'dump' | 'isReadOnly' | 'route' | 'generation'>,
    Pick<DatabaseAddress, 'kind' | 'label'> {
  client: PrismaClient;
  clock: DatabaseClock;
  /** Reports outages. */
  watch: (dependency: () => Dependency) => void;
  /** Returns why statements fail for every caller; undefined if none is known to. */
  failing: () => Promise<string | undefined>;
  /** Undefined for the embedded database. */
  connections: () => Connections | undefined;
  /** The migrations that this start applied. */
  migrated: string[];
  /** The migrations of a newer version. */
  unknownMigrations: string[];
  /** Closes all connections and unlocks the data directory. Rolls back open transactions. May be called twice. */
  close: () => Promise<void>;
}

/** Loads the package that a project may leave out. */
async function preparedPrisma(asked: ClientKind | undefined): Promise<PreparedPrisma | undefined> {
  if (asked === 'prisma') return undefined;
  return import('@accord-api/prepared-prisma').catch((error: Error) => {
    if (!/^Cannot find (package|module) '@accord-api\/prepared-prisma'/.test(error.message)) throw error;
    if (asked === undefined) return undefined;
    throw new Error(
      "The application has `client: 'prepared'`, and @accord-api/prepared-prisma is not installed. Install it and build again, or take `client: 'prisma'`.",
    );
  });
}

async function openClient(
  { pool, shareReads }: Backend,
  limits: TimeLimits,
  asked: ClientKind | undefined,
): Promise<{ client: PrismaClient; shared?: SharedConnections | undefined }> {
  const adapt = exactly(dataModel);
  const times = { maxWait: limits.connect, timeout: limits.transaction };
  const prepared = await preparedPrisma(asked);
  if (!prepared)
    return { client: plainClient((adapter) => new PrismaClient({ adapter, transactionOptions: times }), pool, adapt) };
  const own = prepared.pooledConnection(pool);
  const shared = shareReads?.(prepared);
  const reads = shared && { query: (statement: Statement) => shared.query(statement, () => own.query(statement)) };
  const options = { ...times, adapt, ...(reads && { reads }) };
  const client = prepared.preparedClient((adapter) => new PrismaClient({ adapter }), pool, dataModel, options);
  Object.defineProperty(client, BOUNDED, { value: (reading: Reading) => prepared.boundedClient(client, reading) });
  return { client, shared };
}

/**
 * Opens the database of a DATABASE_URL, and applies missing migrations or rejects.
 * @throws DatabaseNotOpened for a wrong address, a locked directory, an unavailable server and a failed migration
 */
export async function openDatabase(url: string | undefined, options: DatabaseOptions = {}): Promise<Database> {
  const { limits, address, backend, migrated, unknownMigrations, reason, notOpened } = await openMigrated(url, options);
  try {
    const { pool, route, exclusively, isReadOnly, dump, generation } = backend;
    let closed: Promise<void> | undefined;
    const listener = backend.listener((channel, payload) => notify(client, channel, payload));
    const { listen, checkListening, isListening } = listener;
    // The embedded listener needs the first connection.
    await generation.read();
    const closeAll = async () => {
      await listener.close();
      await Promise.all([shared?.close(), client.$disconnect()]);
      await backend.close();
    };
    const close = () => (closed ??= closeAll());
    const watch = (dependency: () => Dependency) => {
      listener.watch(dependency());
      backend.watch(dependency);
    };
    const connections = () => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
      const hearing = isListening() ? 1 : 0;
      const counts = { busy: totalCount - idle, idle, waiting, shared: shared?.open() ?? 0, hearing };
      return address.kind === 'embedded' ? undefined : counts;
    };
    // The extended protocol rejects a text of several statements. The simple one would run the second statement.
    const failing = () => reason((text, values) => pool.query({ text, values, queryMode: 'extended' } as QueryConfig));
    const time = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time';
    let isUsed = true;
    pool.on('release', () => {
      isUsed = true;
    });
    const clock = await databaseClock(async () => {
      const [row] = isUsed ? ((await generation.own(time)).rows as { time: number }[]) : [];
      isUsed = false;
      return row?.time;
    });
    const { kind, label } = address;
    // Last, because the application may still be loading.
    const { client, shared } = await openClient(backend, limits, await options.client?.());
    return {
      client,
      clock,
      kind,
      label,
      listen,
      checkListening,
      isListening,
      watch,
      failing,
      connections,
      exclusively,
      route,
      migrated,
      unknownMigrations,
      isReadOnly,
      generation,
      dump,
      close,
    };
  } catch (error) {
    await backend.close().catch(() => {});
    throw notOpened(error);
  }
}
