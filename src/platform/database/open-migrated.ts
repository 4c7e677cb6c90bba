/** Opens the server or the folder of a DATABASE_URL, with its migrations applied. Needs no generated client. @module */

import type { ClientBase } from 'pg';
import type { MaybePromise } from '../core/calls/schedulers.js';
import { type DatabaseAddress, directAddress, readAddress } from './address.js';
import { TIME_LIMITS_MS, type TimeLimits } from './backend.js';
import type { EmbeddedOptions } from './embedded.js';
import { DatabaseNotOpened, faultOf, reasonOf } from './faults.js';
import { migrationState, migrationsFolder, readMigrations } from './migrations.js';
import type { PostgresOptions } from './postgres.js';

/** SQLSTATEs of a missing permission, and of a table, column or schema that is missing. */
const DENIED = '42501';
const FOR_ALL_CALLERS = new Set([DENIED, '42P01', '42703', '3F000']);
/** Occurs in statements that Prisma generates from the data model. Others may name a table that never existed. */
const GENERATED = '"public"."';

/** Undocumented members of a client of `pg`. */
interface Internals {
  connection: { prependListener: (event: 'errorMessage', listener: (error: DatabaseError) => void) => void };
  _getActiveQuery: () => { text: string; values?: unknown[] } | null;
}

interface DatabaseError {
  code?: string;
  message: string;
}

/** Remembers a statement that fails for every caller, until it could succeed again. */
function failingStatements() {
  let failing: { text: string; parameters: number; reason: string } | undefined;
  return {
    observe(client: ClientBase): void {
      const { connection, _getActiveQuery } = client as unknown as Internals;
      connection.prependListener('errorMessage', ({ code = '', message }) => {
        if (!FOR_ALL_CALLERS.has(code)) return;
        const { text = '', values = [] } = _getActiveQuery.call(client) ?? {};
        if ((code !== DENIED && !text.includes(GENERATED)) || text.startsWith('EXPLAIN')) return;
        failing = { text, parameters: values.length, reason: message };
      });
    },
    /** Returns why requests fail; undefined if none is known. Plans the statement, which also checks permissions. */
    async reason(query: (text: string, values: unknown[]) => Promise<unknown>): Promise<string | undefined> {
      if (failing === undefined) return undefined;
      const { text, parameters } = failing;
      await query(`EXPLAIN ${text}`, Array(parameters).fill(null)).then(
        () => {
          failing = undefined;
        },
        // Errors without a code are outages.
        ({ code }: DatabaseError) => {
          if (code !== undefined && !FOR_ALL_CALLERS.has(code)) failing = undefined;
        },
      );
      return failing?.reason;
    },
  };
}

export interface DatabaseOptions {
  /** The prefix of `application_name` on a server. */
  name?: string;
  /** The result of `dump`, for a new `pglite://memory`. */
  snapshot?: Blob;
  /** DATABASE_POOL. */
  poolSize?: number;
  limits?: TimeLimits;
  /** DATABASE_DIRECT_URL, the address of the server itself if a pooler is at the other one. */
  direct?: string | undefined;
  /** The folder of the migrations; by default the project's. */
  migrations?: string;
  /** `off`: rejects if migrations are missing. By default they are applied. */
  migrate?: 'on' | 'off';
  /** Returns `client` of the application. */
  client?: () => MaybePromise<'prisma' | undefined>;
}

/** The size of the pool of a command. A service reads DATABASE_POOL. */
const POOL_SIZE = 10;

/** @throws DatabaseNotOpened */
export async function openMigrated(
  url: string | undefined,
  {
    name = 'accord',
    snapshot,
    poolSize = POOL_SIZE,
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
    const mayApply = migrate === 'on';
    const { applied, unknownMigrations } = await backend.withMigrationSession(async (session) => {
      const { missing, unknown: unknownMigrations } = await migrationState(session, all, mayApply);
      if (missing.length === 0) return { applied: [], unknownMigrations };
      const { applyMigrations } = await import('./apply-migrations.js');
      return { applied: await applyMigrations(session, all, mayApply), unknownMigrations };
    });
    const migrated = [...backend.migrated, ...applied];
    return { limits, address, backend, migrated, unknownMigrations, reason, notOpened };
  } catch (error) {
    await backend.close().catch(() => {});
    throw notOpened(error);
  }
}

/** Loads only the module of the requested kind. */
async function openBackend(address: DatabaseAddress, options: PostgresOptions & EmbeddedOptions) {
  if (address.kind === 'embedded') {
    const { openEmbedded } = await import('./embedded.js');
    const backend = await openEmbedded(address.directory, options);
    if (options.observe) backend.pool.on('connect', options.observe);
    return backend;
  }
  const { openPostgres } = await import('./postgres.js');
  return openPostgres(address.url, options);
}
