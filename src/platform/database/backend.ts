import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Listener, Notify } from './listener.js';
import type { Dependency } from './outages.js';
import type { Statements } from './statement.js';

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
  /** For the Prisma client. */
  adapter: SqlDriverAdapterFactory;
  /** Makes ready to run statements. */
  connect: () => Promise<void>;
  /** Beside the Prisma client, once it is connected. */
  statements: Statements;
  /** Names of the migrations that a new database was made with. */
  migrated: readonly string[];
  /** Runs `work` on one connection of its own, without time limits. */
  migrating: <T>(work: (session: MigrationSession) => Promise<T>) => Promise<T>;
  /** Runs `work` while no other process migrates this database or runs something of this kind. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** A tar of the data directory; rejects on a server. */
  dump: () => Promise<Blob>;
  /** Hears the signals that instances send each other by `notify`. */
  listener: (notify: Notify) => Listener;
  /** Tells by the statements from now on whether the server is there; absent where it is in this process. */
  watch?: (server: Dependency) => void;
  /** What the pool of connections does now; absent where there is none. */
  pool?: () => Omit<Connections, 'hearing'>;
  close: () => Promise<void>;
}

export interface MigrationSession {
  query: <Row>(sql: string) => Promise<Row[]>;
  /** Any number of statements, which are one transaction unless they say otherwise. */
  run: (script: string) => Promise<void>;
  /** Keeps other instances out until the session ends; absent where there can be none. */
  exclude?: () => Promise<void>;
}
