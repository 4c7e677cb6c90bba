import type { Pool } from 'pg';
import type { Result, Statement } from '../prepared-prisma/connection.js';
import type { Listener, Notify } from './listener.js';
import type { MigrationSession } from './migrations.js';
import type { Dependency } from './outages.js';

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
  query: (query: Statement, elsewhere: () => Promise<Result>) => Promise<Result>;
  open: () => number;
  close: () => Promise<void>;
}

/** The common interface of the embedded database and of a PostgreSQL server. */
export interface Backend {
  pool: Pool;
  /** Undefined if there is only one connection. */
  reads?: SharedConnections;
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
  /** Reports outages of the server. Undefined if the database is in this process. */
  watch?: (server: () => Dependency) => void;
  /** True if the server accepts no writes, as of the newest connection. */
  isReadOnly?: () => boolean;
  close: () => Promise<void>;
}

/** Milliseconds. */
export interface TimeLimits {
  /** Until a connection is free. */
  connect: number;
  /** Until a statement is answered. */
  answer: number;
  /** Until a transaction ends, from its beginning. */
  transaction: number;
}

export const TIME_LIMITS_MS: TimeLimits = { connect: 2000, answer: 4500, transaction: 5000 };

/** The server must abort a statement before the client gives up, or a write that failed could be committed later. */
export const statementTimeout = ({ answer }: Pick<TimeLimits, 'answer'>): number => Math.ceil(answer * 0.9);
