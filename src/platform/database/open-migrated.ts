/** Opens the server or the folder of a DATABASE_URL, with its migrations applied. Needs no generated client. @module */

import { type DatabaseAddress, directAddress, readAddress } from './address.js';
import { TIME_LIMITS_MS, type TimeLimits } from './backend.js';
import type { EmbeddedOptions } from './embedded.js';
import { failingStatements } from './failing-statements.js';
import { DatabaseNotOpened, faultOf, reasonOf } from './faults.js';
import { applyMigrations, migrationsFolder, readMigrations } from './migrations.js';
import type { PostgresOptions } from './postgres.js';

export interface DatabaseOptions {
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

/** @throws DatabaseNotOpened */
export async function openMigrated(
  url: string | undefined,
  {
    name = 'accord',
    snapshot,
    poolSize = 10,
    limits = TIME_LIMITS_MS,
    direct: directUrl,
    migrations = migrationsFolder(),
    migrate = 'on',
  }: DatabaseOptions,
) {
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
    return { limits, address, backend, migrated, unknownMigrations, reason, notOpened };
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
