import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { QueryConfig } from 'pg';
import type { DatabaseAddress } from './address.js';
import type { Backend, Connections, PreparedPrisma, TimeLimits } from './backend.js';
import { dataModel, PrismaClient } from './client.js';
import { type DatabaseClock, databaseClock } from './clock.js';
import { exactly } from './exact.js';
import { type DatabaseOptions, openMigrated } from './open-migrated.js';
import type { Dependency } from './outages.js';
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

/** Returns undefined for a project that leaves the package out. */
const preparedPrisma = (): Promise<PreparedPrisma | undefined> =>
  import('@accord-api/prepared-prisma').catch((error: Error) => {
    if (!/^Cannot find (package|module) '@accord-api\/prepared-prisma'/.test(error.message)) throw error;
    return undefined;
  });

async function openClient({ pool, shareReads }: Backend, limits: TimeLimits, prepared: PreparedPrisma | undefined) {
  const times = { maxWait: limits.connect, timeout: limits.transaction };
  const make = (adapter: SqlDriverAdapterFactory) => new PrismaClient({ adapter, transactionOptions: times });
  if (!prepared) return { client: (await import('./plain-client.js')).plainClient(make, pool, dataModel) };
  const own = prepared.pooledConnection(pool);
  const shared = shareReads?.(prepared);
  const client = prepared.preparedClient(make, pool, dataModel, {
    ...times,
    adapt: exactly(dataModel),
    reads: shared
      ? { query: (statement, done) => shared.query(statement, done, (done) => own.query(statement, done)) }
      : own,
  });
  return { client, shared };
}

/**
 * Opens the database of a DATABASE_URL, and applies missing migrations or rejects.
 * @throws DatabaseNotOpened for a wrong address, a locked directory, an unavailable server and a failed migration
 */
export async function openDatabase(url: string | undefined, options: DatabaseOptions = {}): Promise<Database> {
  // Loads while the database opens, because the application may still be loading too.
  const loading = Promise.resolve(options.client?.()).then((kind) =>
    kind === 'prisma' ? undefined : preparedPrisma(),
  );
  loading.catch(() => {});
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
    const { client, shared } = await openClient(backend, limits, await loading);
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
