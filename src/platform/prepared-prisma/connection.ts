/** Connections of `pg`, and Prisma's driver adapters over them. */
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { FieldDef, QueryArrayConfig, QueryArrayResult } from 'pg';

/** Gives the parser of a column type, as `pg` asks for it. */
interface Types {
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

/** A statement as Prisma gave it to `pg`. */
export interface Sent {
  text: string;
  values: unknown[];
}

/** The answer of the database to one statement, with values in text. Later statements are sent to `connection`. */
export type Answer = { error: unknown } | { result: Result; connection: Connection };

const NOTHING: Result = { command: '', fields: [], rows: [], rowCount: 0 };

type Query = (config: QueryArrayConfig & { types: Types }) => Promise<Result>;

/** The members of a connection that Prisma's adapter uses inside of a transaction. */
const asClient = (query: Query) => ({ query, release() {}, on() {}, removeListener() {} });

/** Makes an adapter of Prisma on a pool that opens no connection: `query` and `connect` take its place. */
async function adapterOn(
  pool: { query: Query; connect: () => Promise<unknown> },
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

/** A database that is not there. Records what Prisma sends, and gives the answer that it was given. */
export function dryAdapter() {
  let sent: Sent[] = [];
  let answer: Answer | undefined;
  let step: string | undefined;
  const query: Query = async (config) => {
    sent.push({ text: config.text, values: config.values ?? [] });
    if (answer === undefined || (step !== undefined && config.text !== step)) return NOTHING;
    if ('error' in answer) throw answer.error;
    if (sent.length > 1) return answer.connection.query(config as Statement);
    const { fields, rows } = answer.result;
    const parsers = fields.map(({ dataTypeID }) => config.types.getTypeParser(dataTypeID, 'text'));
    const parsed = rows.map((row) => row.map((text, i) => (text === null ? null : parsers[i]?.(text))));
    return { ...answer.result, rows: parsed };
  };
  const connect = async () => {
    if (answer !== undefined && 'error' in answer && step === undefined) throw answer.error;
    return asClient(query);
  };
  return {
    factory: factory(() => adapterOn({ query, connect })),
    /**
     * Sets the answer to what Prisma does next. Without one each statement finds nothing.
     * @param only the text of the statement that it is the answer to; the first one, or opening a connection
     */
    expect(next: Answer | undefined, only?: string): Sent[] {
      sent = [];
      answer = next;
      step = only;
      return sent;
    },
  };
}

/** A connection for Prisma's own transactions, which gives every connection back as if it could be used again. */
function keepOrDestroy(connection: PoolConnection) {
  let broken = false;
  const query: Query = (config) =>
    send(connection, config as Statement).catch((error: unknown) => {
      broken ||= isBroken(error);
      throw error;
    });
  return { ...asClient(query), release: () => connection.release(broken) };
}

/** Statements of Prisma that open or end a transaction, which is open already and ended by who opened it. */
const CONTROL = /^(BEGIN|COMMIT|ROLLBACK$|SET TRANSACTION)/;

/** A pool for Prisma, where a transaction may also be one that is open already. */
export function joiningAdapter(pool: PoolLike, names: (text: string) => string) {
  const single = pooled(pool);
  let joined: Connection | undefined;
  const query: Query = (config) => single.query(config as Statement);
  const connect = async (): Promise<unknown> => {
    if (joined === undefined) return keepOrDestroy(await take(pool));
    const connection = joined;
    return asClient(async (config) => (CONTROL.test(config.text) ? NOTHING : connection.query(config as Statement)));
  };
  /** By the isolation level that a join is given; Prisma's own transactions around a call have none. */
  let next: Connection | undefined;
  return {
    factory: factory(async () => {
      const adapter = await adapterOn({ query, connect }, names);
      const start = adapter.startTransaction.bind(adapter);
      adapter.startTransaction = (level) => {
        joined = level === undefined ? undefined : next;
        // `start` takes the connection before it returns its promise.
        const started = start(undefined);
        joined = undefined;
        return started;
      };
      return adapter;
    }),
    /** Sets the connection of the next transaction that has an isolation level. */
    join(connection: Connection): void {
      next = connection;
    },
  };
}
