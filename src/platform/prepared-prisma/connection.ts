/** The part of `pg` that this module uses, and how connections are taken from a pool and given back. */
import type { FieldDef, QueryArrayResult } from 'pg';

/** Gives the parser of a column type, as `pg` asks for it. */
export interface Types {
  getTypeParser: (type: number, format?: string) => (text: string) => unknown;
}

/** A statement as `pg` takes it. An empty name keeps it from being prepared. */
export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
  rowMode: 'array';
  types: Types;
}

export type Result = Pick<QueryArrayResult, 'rows' | 'rowCount' | 'command'> & {
  fields: Pick<FieldDef, 'name' | 'dataTypeID'>[];
};

/** Runs single statements: a pool, or connections that several callers share. */
export interface Connection {
  query: (statement: Statement) => Promise<Result>;
}

/** A connection from a pool, as `pg.Pool` gives it. */
export interface PoolConnection {
  query: (statement: Statement, done: (error: Error | null, result: Result) => void) => void;
  on: (event: 'error', listener: (error: Error) => void) => unknown;
  /** @param broken destroys the connection */
  release: (broken?: Error | boolean) => void;
}

/** The part of `pg.Pool` that this module uses. Its connections may be pipelined. */
export interface PoolLike {
  connect: () => Promise<PoolConnection>;
}

/** Leaves values as PostgreSQL sends them in text. The readers convert them. */
export const TEXT: Types = { getTypeParser: () => (text) => text };

/**
 * Returns a statement that is sent with values. `pg` copies the own properties of a statement at a cost of 0.3 µs each, so all
 * but the values are inherited.
 */
export function statementOf(name: string, text: string): (values: unknown[]) => Statement {
  const constant: Statement = { name, text, rowMode: 'array', types: TEXT };
  return (values) => {
    const statement = Object.create(constant) as Statement;
    statement.values = values;
    return statement;
  };
}

/** Returns true if the connection has ended, or is in an unknown state. After an SQL error it can be used again. */
export function isBroken(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  return severity !== 'ERROR';
}

const guarded = new WeakSet<PoolConnection>();

/** Takes a connection from the pool. A lost connection rejects its statement; its `error` event says nothing more. */
export async function take(pool: PoolLike): Promise<PoolConnection> {
  const connection = await pool.connect();
  if (!guarded.has(connection)) {
    guarded.add(connection);
    connection.on('error', () => {});
  }
  return connection;
}

/** Runs a statement. By callback, because `pg` makes two promises and a stack trace otherwise. */
export const send = (connection: PoolConnection, statement: Statement): Promise<Result> =>
  new Promise((resolve, reject) => {
    connection.query(statement, (error, result) => (error ? reject(error) : resolve(result)));
  });

/** Returns a `Connection` that runs each statement on a connection of the pool. */
export const pooled = (pool: PoolLike): Connection => ({
  query: (statement) =>
    new Promise((resolve, reject) => {
      const run = (connection: PoolConnection) =>
        connection.query(statement, (error, result) => {
          connection.release(error ? isBroken(error) : false);
          if (error) reject(error);
          else resolve(result);
        });
      take(pool).then(run, reject);
    }),
});

/** The socket of a pipelined connection, where `pg` has it. */
interface Pipelined {
  readonly pipeline?: boolean;
  readonly connection?: {
    readonly stream: { readonly writableCorked: number; cork: () => void; uncork: () => void; destroy: () => void };
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

/** Gives back a connection whose statement is still running. A pipelined one would wait for its end. */
export function destroy(connection: PoolConnection): void {
  (connection as Pipelined).connection?.stream.destroy();
  connection.release(true);
}
