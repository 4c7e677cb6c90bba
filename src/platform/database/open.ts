import type { QueryConfig } from 'pg';
import { pooledConnection } from '../prepared-prisma/connection.js';
import { preparedClient } from '../prepared-prisma/prepared-client.js';
import { type DatabaseAddress, directAddress, readAddress } from './address.js';
import type { Backend, Connections } from './backend.js';
import { TIME_LIMITS_MS, type TimeLimits } from './backend.js';
import { PrismaClient } from './client.js';
import { dataModel } from './data-model.js';
import type { EmbeddedOptions } from './embedded.js';
import { failingStatements } from './failing-statements.js';
import { DatabaseNotOpened, faultOf, reasonOf } from './faults.js';
import type { Listener } from './listener.js';
import { applyMigrations, migrationsFolder, readMigrations } from './migrations.js';
import type { Dependency } from './outages.js';
import type { PostgresOptions } from './postgres.js';
import { notify } from './signals.js';

export interface Database
  extends Pick<Listener, 'listen' | 'checkListening' | 'isListening'>,
    Pick<Backend, 'exclusively' | 'dump'> {
  client: PrismaClient;
  kind: 'embedded' | 'postgresql';
  /** For people: "embedded PostgreSQL in ./data". Never contains a password. */
  label: string;
  /** Reports outages. */
  watch: (dependency: () => Dependency) => void;
  /** Returns why statements fail for every caller; undefined if none is known to. */
  failing: () => Promise<string | undefined>;
  /** True if the server accepts no writes. */
  isReadOnly: () => boolean;
  /** Undefined for the embedded database. */
  connections: () => Connections | undefined;
  /** A sentence for the log about a pooler. */
  route: string | undefined;
  /** The migrations that this start applied. */
  migrated: string[];
  /** The migrations of a newer version. */
  unknownMigrations: string[];
  /** Closes all connections and unlocks the data directory. Rolls back open transactions. May be called twice. */
  close: () => Promise<void>;
}

interface DatabaseOptions {
  /** The prefix of `application_name` on a server. */
  name?: string;
  /** The result of `dump`, for a new `pglite://memory`. */
  snapshot?: Blob;
  /** The size of the pool on a server, without the connections for shared reads and for signals. */
  poolSize?: number;
  limits?: TimeLimits;
  /** DATABASE_DIRECT_URL, the address of the server itself if a pooler is at the other one. */
  direct?: string | undefined;
  /** The folder of the migrations; by default the project's. */
  migrations?: string;
  /** `off`: rejects if migrations are missing. By default they are applied. */
  migrate?: 'on' | 'off';
}

/**
 * Opens the database of a DATABASE_URL, and applies missing migrations or rejects.
 * @throws DatabaseNotOpened for a wrong address, a locked directory, an unavailable server and a failed migration
 */
export async function openDatabase(
  url: string | undefined,
  {
    name = 'accord',
    snapshot,
    poolSize = 10,
    limits = TIME_LIMITS_MS,
    direct: directUrl,
    migrations = migrationsFolder(),
    migrate = 'on',
  }: DatabaseOptions = {},
): Promise<Database> {
  const address = readAddress(url);
  const direct = directAddress(directUrl, address);
  const notOpened = (cause: unknown) => {
    const said = cause instanceof Error && faultOf(cause).kind !== 'timeout' ? cause.message : reasonOf(cause);
    return new DatabaseNotOpened(`${address.label}: ${said}`, { cause });
  };
  const all = readMigrations(migrations);
  const { observe, reason } = failingStatements();
  const options = { name, snapshot, poolSize, limits, direct, observe, migrations: all };
  const backend = await openBackend(address, options).catch((error: unknown) => {
    throw notOpened(error);
  });
  try {
    const { applied, unknown: unknownMigrations } = await backend.withMigrationSession((session) =>
      applyMigrations(session, all, migrate === 'on'),
    );
    const migrated = [...backend.migrated, ...applied];
    const { pool, reads, route, exclusively, dump } = backend;
    const own = pooledConnection(pool);
    const client = preparedClient((adapter) => new PrismaClient({ adapter }), pool, dataModel, {
      reads: reads ? { query: (statement) => reads.query(statement, () => own.query(statement)) } : own,
      maxWait: limits.connect,
      timeout: limits.transaction,
    });
    let closed: Promise<void> | undefined;
    const listener = backend.listener((channel, payload) => notify(client, channel, payload));
    const { listen, checkListening, isListening } = listener;
    const close = () => (closed ??= closeAll(client, listener, backend));
    const watch = (dependency: () => Dependency) => {
      listener.watch(dependency());
      backend.watch?.(dependency);
    };
    const connections = () => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
      const hearing = isListening() ? 1 : 0;
      return reads && { busy: totalCount - idle, idle, waiting, shared: reads.open(), hearing };
    };
    // The extended protocol rejects a text of several statements, of which the second one would run.
    const failing = () => reason((text, values) => pool.query({ text, values, queryMode: 'extended' } as QueryConfig));
    const { kind, label } = address;
    const signals = { listen, checkListening, isListening };
    return {
      client,
      kind,
      label,
      ...signals,
      watch,
      failing,
      connections,
      exclusively,
      route,
      migrated,
      unknownMigrations,
      isReadOnly: backend.isReadOnly ?? (() => false),
      dump,
      close,
    };
  } catch (error) {
    await backend.close().catch(() => {});
    throw notOpened(error);
  }
}

/** Loads only the module of the requested kind. */
async function openBackend(
  address: DatabaseAddress,
  options: Required<Pick<PostgresOptions, 'name' | 'poolSize' | 'limits' | 'observe'>> &
    Pick<PostgresOptions, 'direct'> &
    EmbeddedOptions,
) {
  if (address.kind === 'embedded') {
    const { openEmbedded } = await import('./embedded.js');
    const backend = await openEmbedded(address.directory, options);
    backend.pool.on('connect', options.observe);
    return backend;
  }
  const { openPostgres } = await import('./postgres.js');
  return openPostgres(address.url, options);
}

async function closeAll(client: PrismaClient, listener: Listener, backend: Backend): Promise<void> {
  await listener.close();
  await client.$disconnect();
  await backend.close();
}
