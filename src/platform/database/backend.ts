import type { Pool } from 'pg';
import type { Result, Statement } from '../prepared-prisma/connection.js';
import type { Listener, Notify } from './listener.js';
import type { MigrationSession } from './migrations.js';
import type { Dependency } from './outages.js';

/**
 * The connections of this instance to a server: of the pool, what waits for one of these, those that short statements share,
 * and what hears signals.
 */
export interface Connections {
  busy: number;
  idle: number;
  waiting: number;
  shared: number;
  hearing: number;
}

/** Few connections that many short reads share. */
export interface SharedConnections {
  /** Runs a read on the connection with the fewest statements, or elsewhere if it would have to wait. */
  query: (query: Statement, elsewhere: () => Promise<Result>) => Promise<Result>;
  /** Returns the number of open connections. */
  open: () => number;
  close: () => Promise<void>;
}

/** What the embedded database and a PostgreSQL server have in common. */
export interface Backend {
  /** The connections for statements of all kinds. The embedded database has one. */
  pool: Pool;
  /** The connections that short reads share; absent where there is only one connection. */
  reads?: SharedConnections;
  /** Names of the migrations that a new database was made with. */
  migrated: readonly string[];
  /** Runs `work` on one connection, without time limits. */
  withMigrationSession: <T>(work: (session: MigrationSession) => Promise<T>) => Promise<T>;
  /** Runs `work` while no other process migrates this database or runs something of this kind. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** A tar of the data directory; rejects on a server. */
  dump: () => Promise<Blob>;
  /** Hears the signals that instances send each other by `notify`. */
  listener: (notify: Notify) => Listener;
  /** Reports from now on whether the server is there; absent where the database is in this process. */
  watch?: (server: Dependency) => void;
  close: () => Promise<void>;
}

/** Milliseconds that the service waits for its database. */
export interface TimeLimits {
  /** For a free connection; of the embedded database, which has one, for the end of the transactions before. */
  connect: number;
  /** For the answer to a statement. */
  answer: number;
  /** For all of a transaction, once it has begun. */
  transaction: number;
}

export const TIME_LIMITS: TimeLimits = { connect: 2000, answer: 4500, transaction: 5000 };

/**
 * Milliseconds after which a server gives a statement up: in time for us to be told, so that a write which we call failed is not
 * done after all.
 */
export const statementTimeout = ({ answer }: Pick<TimeLimits, 'answer'>): number => Math.ceil(answer * 0.9);
