import type { Pool } from 'pg';
import type { Listener, Notify } from './listener.js';
import type { MigrationSession } from './migration-session.js';
import type { Dependency } from './outages.js';
import type { SharedConnections } from './shared-connections.js';

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

/** What the embedded database and a PostgreSQL server have in common. */
export interface Backend {
  /** The connections for statements of all kinds. The embedded database has one. */
  pool: Pool;
  /** The connections that short reads share; absent where there is only one connection. */
  reads?: SharedConnections;
  /** Names of the migrations that a new database was made with. */
  migrated: readonly string[];
  /** Runs `work` on one connection, without time limits. */
  migrating: <T>(work: (session: MigrationSession) => Promise<T>) => Promise<T>;
  /** Runs `work` while no other process migrates this database or runs something of this kind. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** A tar of the data directory; rejects on a server. */
  dump: () => Promise<Blob>;
  /** Hears the signals that instances send each other by `notify`. */
  listener: (notify: Notify) => Listener;
  /** Reports from now on whether the server is there; absent where the database is in this process. */
  watch?: (server: Dependency) => void;
  close: () => Promise<void>;
}
