import { pooled } from '../prepared-prisma/connection.js';
import { preparedClient } from '../prepared-prisma/prepared-client.js';
import { type DatabaseAddress, readAddress } from './address.js';
import type { Backend, Connections } from './backend.js';
import { TIME_LIMITS, type TimeLimits } from './backend.js';
import { PrismaClient } from './client.js';
import { dataModel } from './data-model.js';
import type { EmbeddedOptions } from './embedded.js';
import { DatabaseNotOpened, faultOf, reasonOf } from './faults.js';
import type { Listener } from './listener.js';
import { applyMigrations, migrationsFolder, readMigrations } from './migrations.js';
import type { Dependency } from './outages.js';
import { notify } from './signals.js';

export interface Database {
  client: PrismaClient;
  kind: 'embedded' | 'postgresql';
  /** For people: "embedded PostgreSQL in ./data", "PostgreSQL at db.example.com:5432/accord". Never a password. */
  label: string;
  /** Hears what other instances signal by `notify`. */
  listen: Listener['listen'];
  /** Whether they are heard; see `Listener`. Rejects when the database cannot be asked. */
  checkListening: Listener['checkListening'];
  /** Whether they are heard at present, as far as is known. */
  isListening: Listener['isListening'];
  /** Tells when it is away and when it is back. */
  watch: (dependency: () => Dependency) => void;
  /** Its connections now; undefined where it is in this process. */
  connections: () => Connections | undefined;
  /** Runs `work` while no other process migrates this database or runs something of this kind: for what is done once. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Names of the migrations that were applied now. */
  migrated: string[];
  /** The embedded database as a tar, to be given to another one as `snapshot`. Rejects on a server. */
  dump: () => Promise<Blob>;
  /**
   * Closes every connection and frees the data directory. For when no request is running any more: a transaction that is not
   * done is rolled back. May be called twice.
   */
  close: () => Promise<void>;
}

interface DatabaseOptions {
  /** Of the application, by which a server tells its connections apart; the platform's own for an operator's command. */
  name?: string;
  /** What `dump` gave: the content of a new `pglite://memory`. */
  snapshot?: Blob;
  /** The most connections to a server, besides the few that short statements share and the one that hears signals. */
  poolSize?: number;
  /** How long it may keep the service waiting; the usual limits. */
  limits?: TimeLimits;
  /** The folder of the migrations; the package's own. */
  migrations?: string;
}

/**
 * Opens the database of a DATABASE_URL (see `readAddress`; unset is `./data`), keeps other processes out of an embedded one, and
 * applies pending migrations. Rejects, with everything closed again, when the address is not understood, the directory
 * is in use, the server is away (`faultOf` says `unavailable`) or a migration fails.
 */
export async function openDatabase(
  url: string | undefined,
  {
    name = 'accord',
    snapshot,
    poolSize = 10,
    limits = TIME_LIMITS,
    migrations = migrationsFolder(),
  }: DatabaseOptions = {},
): Promise<Database> {
  const address = readAddress(url);
  const notOpened = (cause: unknown) => {
    const said = cause instanceof Error && faultOf(cause).kind !== 'timeout' ? cause.message : reasonOf(cause);
    return new DatabaseNotOpened(`${address.label}: ${said}`, { cause });
  };
  const all = readMigrations(migrations);
  const options = { name, snapshot, poolSize, limits, migrations: all };
  const backend = await openBackend(address, options).catch((error: unknown) => {
    throw notOpened(error);
  });
  try {
    const applied = await backend.withMigrationSession((session) => applyMigrations(session, all));
    const migrated = [...backend.migrated, ...applied];
    const { pool, reads, exclusively, dump } = backend;
    const own = pooled(pool);
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
      backend.watch?.(dependency());
    };
    const connections = () => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
      const hearing = isListening() ? 1 : 0;
      return reads && { busy: totalCount - idle, idle, waiting, shared: reads.open(), hearing };
    };
    const { kind, label } = address;
    const signals = { listen, checkListening, isListening };
    return { client, kind, label, ...signals, watch, connections, exclusively, migrated, dump, close };
  } catch (error) {
    await backend.close().catch(() => {});
    throw notOpened(error);
  }
}

/** Loads only the one of the two that is asked for. */
async function openBackend(
  address: DatabaseAddress,
  options: Required<Pick<DatabaseOptions, 'name' | 'poolSize' | 'limits'>> & EmbeddedOptions,
) {
  if (address.kind === 'embedded') {
    const { openEmbedded } = await import('./embedded.js');
    return openEmbedded(address.directory, options);
  }
  const { openPostgres } = await import('./postgres.js');
  return openPostgres(address.url, options);
}

async function closeAll(client: PrismaClient, listener: Listener, backend: Backend): Promise<void> {
  await listener.close();
  await client.$disconnect();
  await backend.close();
}
