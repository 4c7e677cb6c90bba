import { type DatabaseAddress, readAddress } from './address.js';
import type { Backend } from './backend.js';
import { PrismaClient } from './client.js';
import { DatabaseNotOpened } from './faults.js';
import type { Listener } from './listener.js';
import { migrationsFolder } from './migration-folder.js';
import { applyMigrations } from './migrations.js';

export interface Database {
  client: PrismaClient;
  kind: 'embedded' | 'postgresql';
  /** For people: "embedded PostgreSQL in ./data", "PostgreSQL at db.example.com:5432/accord". Never a password. */
  label: string;
  /** Hears what other instances signal by `notify`. */
  listen: Listener['listen'];
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

export interface DatabaseOptions {
  /** What `dump` gave: the content of a new `pglite://memory`. */
  snapshot?: Blob;
  /** The most connections to a server. */
  poolSize?: number;
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
  { snapshot, poolSize = 10, migrations = migrationsFolder() }: DatabaseOptions = {},
): Promise<Database> {
  const address = readAddress(url);
  const backend = await openBackend(address, { snapshot, poolSize });
  try {
    const migrated = await backend.migrating((session) => applyMigrations(session, migrations));
    const client = new PrismaClient({ adapter: backend.adapter });
    await client.$connect();
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= closeBoth(client, backend));
    const { listen } = backend.listener;
    return { client, kind: address.kind, label: address.label, listen, migrated, dump: backend.dump, close };
  } catch (error) {
    await backend.close().catch(() => {});
    throw new DatabaseNotOpened(`${address.label}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** Loads only the one of the two that is asked for. */
async function openBackend(
  address: DatabaseAddress,
  { snapshot, poolSize }: { snapshot?: Blob | undefined; poolSize: number },
) {
  if (address.kind === 'embedded') {
    const { openEmbedded } = await import('./embedded.js');
    return openEmbedded(address.directory, address.label, snapshot);
  }
  const { openPostgres } = await import('./postgres.js');
  return openPostgres(address.url, poolSize);
}

async function closeBoth(client: PrismaClient, backend: Backend): Promise<void> {
  await client.$disconnect();
  await backend.close();
}
