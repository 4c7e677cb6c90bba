/** Runs statements on connections of `pg`, and provides the driver adapters through which Prisma uses the same connections. @module */

import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { QueryArrayConfig } from 'pg';
import { type Done, NO_RESULT, PreparedQuery, type Result, type Statement, type Types } from './statement.js';

/** Wraps the function by which Prisma's adapter sends a statement, to change its text and how its answer is read. */
export type Adapt = <Config extends { text: string; types: Types }, Answer>(
  query: (config: Config) => Answer,
) => (config: Config) => Answer;

/** Runs single statements, by a pool or by shared connections. Takes callbacks, because each layer would create promises. */
export interface Connection {
  query: (statement: Statement, done: Done) => void;
}

/** A connection of `pg.Pool`. */
export interface PoolConnection extends Connection {
  on: (event: 'error', listener: (error: Error) => void) => unknown;
  /** @param broken destroys the connection */
  release: (broken?: Error | boolean) => void;
}

/** The part of `pg.Pool` that the package uses. Connections may be pipelined. */
export interface PoolLike {
  connect: () => Promise<PoolConnection>;
}

/** Returns true unless the connection can be used again, as after an SQL error. */
export function isBroken(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  return severity !== 'ERROR';
}

const guarded = new WeakSet<PoolConnection>();

/** Takes a connection. Its statement fails if the connection is lost, so `error` events are ignored. */
export async function takeConnection(pool: PoolLike): Promise<PoolConnection> {
  const connection = await pool.connect();
  if (!guarded.has(connection)) {
    guarded.add(connection);
    connection.on('error', () => {});
  }
  return connection;
}

/** Sends a statement; to a client of `pg` as a `PreparedQuery`, unless a wrapper of `query` changes statements or waits for them. */
export function send(connection: PoolConnection, statement: Statement, done: Done): void {
  const isPlainClient = (connection as Pipelined).connection !== undefined && !Object.hasOwn(connection, 'query');
  if (isPlainClient && statement.columns !== undefined)
    (connection as unknown as { query: (query: object) => void }).query(new PreparedQuery(statement, done));
  else connection.query(statement, done);
}

export const answerOf = (connection: Connection, statement: Statement): Promise<Result> =>
  new Promise((resolve, reject) => {
    connection.query(statement, (error, result) => (error ? reject(error) : resolve(result)));
  });

export const pooledConnection = (pool: PoolLike): Connection => ({
  query(statement, done) {
    const run = (connection: PoolConnection) =>
      send(connection, statement, (error, result) => {
        connection.release(error ? isBroken(error) : false);
        done(error, result);
      });
    takeConnection(pool).then(run, (error: Error) => done(error, NO_RESULT));
  },
});

/** Undocumented members of a pipelined connection. */
interface Pipelined {
  readonly pipeline?: boolean;
  readonly connection?: {
    readonly stream: {
      readonly writableCorked: number;
      cork: () => void;
      uncork: () => void;
      destroy: () => void;
    };
  };
}

export const isPipelined = (connection: PoolConnection): boolean => (connection as Pipelined).pipeline === true;

/** Sends the statements of one turn of the event loop in one write. */
export function writeTogether(connection: PoolConnection): void {
  const stream = (connection as Pipelined).connection?.stream;
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Destroys a connection with a running statement. A pipelined one would wait for the end of the statement. */
export function destroyConnection(connection: PoolConnection): void {
  (connection as Pipelined).connection?.stream.destroy();
  connection.release(true);
}

export interface Sent {
  text: string;
  values: unknown[];
}

/** The answer to one statement. Later statements are sent to `connection`. */
export type Answer = { error: unknown } | { result: Result; connection: Connection };

type RunQuery = (config: QueryArrayConfig & { types: Types }) => Promise<Result>;

/** The members of a connection that Prisma's adapter uses in a transaction. */
const asClient = (query: RunQuery) => ({ query, release() {}, on() {}, removeListener() {} });

/** Creates an adapter of Prisma whose pool is replaced by `query` and `connect`. */
async function adapterOn(
  pool: { query: RunQuery; connect: () => Promise<unknown> },
  names?: (text: string) => string,
): Promise<SqlDriverAdapter> {
  const options = names === undefined ? {} : { statementNameGenerator: ({ sql }: { sql: string }) => names(sql) };
  const adapter = await new PrismaPg({}, options).connect();
  Object.assign(adapter.underlyingDriver(), pool);
  return adapter;
}

const factory = (connect: () => Promise<SqlDriverAdapter>): SqlDriverAdapterFactory => ({
  provider: 'postgres',
  adapterName: '@prisma/adapter-pg',
  connect,
});

/** Simulates a database: records statements, and returns a given answer. */
export function dryAdapter(adapt: Adapt) {
  let sent: Sent[] = [];
  let answer: Answer | undefined;
  let step: string | undefined;
  const query: RunQuery = adapt(async (config) => {
    sent.push({ text: config.text, values: config.values ?? [] });
    if (answer === undefined || (step !== undefined && config.text !== step)) return NO_RESULT;
    if ('error' in answer) throw answer.error;
    if (sent.length > 1) return answerOf(answer.connection, config as Statement);
    const { fields, rows } = answer.result;
    const parsers = fields.map(({ dataTypeID }) => config.types.getTypeParser(dataTypeID, 'text'));
    const parsed = rows.map((row) => row.map((text, i) => (text === null ? null : parsers[i]?.(text))));
    return { ...answer.result, rows: parsed };
  });
  const connect = async () => {
    if (answer !== undefined && 'error' in answer && step === undefined) throw answer.error;
    return asClient(query);
  };
  return {
    factory: factory(() => adapterOn({ query, connect })),
    /** Sets the next answer; without one, statements find nothing. @param only the text of the answered statement */
    expect(next: Answer | undefined, only?: string): Sent[] {
      sent = [];
      answer = next;
      step = only;
      return sent;
    },
  };
}

/** A connection for Prisma's own transactions, which would return broken ones to the pool. */
function keepOrDestroy(connection: PoolConnection, adapt: Adapt) {
  let broken = false;
  const on: Connection = { query: (statement, done) => send(connection, statement, done) };
  const query: RunQuery = adapt((config) =>
    answerOf(on, config as Statement).catch((error: unknown) => {
      broken ||= isBroken(error);
      throw error;
    }),
  );
  return { ...asClient(query), release: () => connection.release(broken) };
}

/** Statements of Prisma that begin or end a transaction, which the package does itself. */
const CONTROL = /^(BEGIN|COMMIT|ROLLBACK$|SET TRANSACTION)/;

/** A pool for Prisma whose transactions may use an open transaction. */
export function joiningAdapter(pool: PoolLike, names: (text: string) => string, adapt: Adapt) {
  const single = pooledConnection(pool);
  let openConnection: Connection | undefined;
  const query: RunQuery = adapt((config) => answerOf(single, config as Statement));
  const connect = async (): Promise<unknown> => {
    if (openConnection === undefined) return keepOrDestroy(await takeConnection(pool), adapt);
    const connection = openConnection;
    const send: RunQuery = adapt((config) => answerOf(connection, config as Statement));
    return asClient(async (config) => (CONTROL.test(config.text) ? NO_RESULT : send(config)));
  };
  /** Used by the next transaction with an isolation level. Prisma's own transactions around a call have none. */
  let next: Connection | undefined;
  return {
    factory: factory(async () => {
      const adapter = await adapterOn({ query, connect }, names);
      const start = adapter.startTransaction.bind(adapter);
      adapter.startTransaction = (level) => {
        openConnection = level === undefined ? undefined : next;
        // `start` takes the connection before it returns its promise.
        const started = start(undefined);
        openConnection = undefined;
        return started;
      };
      return adapter;
    }),
    join(connection: Connection): void {
      next = connection;
    },
  };
}
