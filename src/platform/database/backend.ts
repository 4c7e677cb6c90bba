/** The common parts of the embedded database and of a PostgreSQL server: their interface, time limits and pool. @module */

import type { Done, Statement } from '@accord-api/prepared-prisma';
import { Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { faultOf, reasonOf } from './faults.js';
import type { Generation } from './generation.js';
import type { MigrationSession } from './migrations.js';
import type { Dependency } from './outages.js';
import type { Listener, Notify } from './signals.js';

/** The number of connections of this instance to a server, by kind. `waiting` counts callers without a connection. */
export interface Connections {
  busy: number;
  idle: number;
  waiting: number;
  shared: number;
  hearing: number;
}

export interface SharedConnections {
  /** Runs a read on the connection with the fewest statements, or runs `elsewhere` if the read would have to wait. */
  query: (query: Statement, done: Done, elsewhere: (done: Done) => void) => void;
  open: () => number;
  close: () => Promise<void>;
}

/** The package that a project may leave out. */
export type PreparedPrisma = typeof import('@accord-api/prepared-prisma');

/** The common interface of the embedded database and of a PostgreSQL server. */
export interface Backend {
  pool: Pool;
  /** Opens connections that callers share. Undefined if there is only one connection. */
  shareReads?: (prepared: PreparedPrisma) => SharedConnections;
  /** A sentence about the pooler between the service and its server. */
  route?: string | undefined;
  /** The migrations that the template of a new database contained. */
  migrated: readonly string[];
  withMigrationSession: <T>(work: (session: MigrationSession) => Promise<T>) => Promise<T>;
  /** Runs `work` while no other process migrates this database or runs exclusive work. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns the embedded database as a tar, for `snapshot` of another one. Rejects on a server. */
  dump: () => Promise<Blob>;
  listener: (notify: Notify) => Listener;
  /** Reports outages of the server. */
  watch: (server: () => Dependency) => void;
  /** True if the server accepts no writes, as of the newest connection. */
  isReadOnly: () => boolean;
  generation: Generation;
  close: () => Promise<void>;
}

/** Milliseconds. */
export interface TimeLimits {
  /** Until a connection is free. */
  connect: number;
  /** Until a lock is free, unless the address states `lock_timeout`. */
  lock: number;
  /** Until a statement is answered. */
  answer: number;
  /** Until a transaction ends, from its beginning. */
  transaction: number;
}

export const TIME_LIMITS_MS: TimeLimits = { connect: 2000, lock: 1000, answer: 4500, transaction: 5000 };

/** The server must abort a statement before the client gives up, or a write that failed could be committed later. */
export const statementTimeout = ({ answer }: Pick<TimeLimits, 'answer'>): number => Math.ceil(answer * 0.9);

/** Reports to the outage log whether the server answered. @param error undefined for a success */
export type ReportOutcome = (error?: unknown) => void;

export const outcomeReporter =
  (server: Dependency): ReportOutcome =>
  (error) => {
    if (!error) server.back();
    // If only the pool of this instance is exhausted, the server is there.
    else if (['unavailable', 'denied'].includes(faultOf(error).kind) && !reasonOf(error).startsWith('timeout exceeded'))
      server.away(reasonOf(error));
  };

/** Returns true unless the connection can be used again, as after an SQL error. */
export const isBroken = (error: unknown): boolean => (error as { severity?: unknown }).severity !== 'ERROR';

/** SQLSTATE of a server, a database or a role without a free connection. */
const TOO_MANY = '53300';
export const hasTooMany = (error: unknown): boolean => (error as { code?: unknown }).code === TOO_MANY;

/** Milliseconds until a pool that the server did not let grow tries again. */
export const GROW_MS = 10_000;

interface PoolOptions extends PoolConfig {
  reportOutcome?: ReportOutcome;
  admit?: ((sql: string) => void) | undefined;
}

/**
 * Opens a pool whose connections survive SQL errors. The `query` of pg's pool closes the connection after each error.
 */
export function openPool({ reportOutcome = () => {}, admit, ...config }: PoolOptions): Pool {
  const pool = new Pool({ ...config, pipeline: true } as PoolConfig);
  const ignore = () => {}; // the current or next statement rejects
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    if (admit) checkStatements(client, admit);
  });
  const connect = growing(pool);
  async function query(...args: [QueryConfig, unknown[]?]): Promise<QueryResult> {
    const client = await connect();
    let failure: Error | undefined;
    try {
      return await client.query(...args);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure && isBroken(failure) ? failure : undefined);
    }
  }
  const reported = <T>(work: Promise<T>): Promise<T> => {
    work.then(() => reportOutcome(), reportOutcome);
    return work;
  };
  return Object.assign(pool, {
    connect: () => reported(connect()),
    query: (...args: Parameters<typeof query>) => reported(query(...args)),
  }) as Pool;
}

/** Returns `connect` of a pool that keeps using its open connections when the server refuses new ones. */
function growing(pool: Pool): () => Promise<PoolClient> {
  const open = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const { options } = pool as unknown as { options: { max: number } };
  const { max } = options;
  let size = 0;
  let isReported = false;
  pool.on('connect', () => {
    size += 1;
    if (size >= max) isReported = false;
  });
  pool.on('remove', () => {
    size -= 1;
  });
  const grow = setTimeout(() => {
    options.max = max;
  }, GROW_MS).unref();
  return () =>
    open().catch((error: unknown) => {
      // Another connection may still be opening.
      if (!hasTooMany(error) || pool.totalCount === 0) throw error;
      if (!isReported)
        console.warn(`PostgreSQL refuses connections. The pool keeps using its ${size} of ${max}: ${reasonOf(error)}`);
      isReported = true;
      // A closing connection is in `size` until it has closed.
      options.max = Math.max(1, Math.min(size, pool.totalCount));
      grow.refresh();
      return open();
    });
}

/** A refused statement does not reach the server, so the COMMIT of its transaction is refused, too. */
function checkStatements(client: PoolClient, admit: (sql: string) => void): void {
  let refused: unknown;
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const checkedQuery = (...args: [string | QueryConfig, ...unknown[]]): unknown => {
    const [statement] = args;
    const callback = args.at(-1);
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text.startsWith('BEGIN')) refused = undefined;
    try {
      if (text === 'COMMIT' && refused) throw refused;
      admit(text);
    } catch (refusal) {
      refused = refusal;
      if (typeof callback !== 'function') return Promise.reject(refusal);
      return void process.nextTick(callback as (refusal: unknown) => void, refusal);
    }
    return query(...args);
  };
  Object.assign(client, { query: checkedQuery });
}
