/** Driver adapters for Prisma over something other than a pool: the answer of one statement, or an open transaction. */
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { QueryArrayConfig } from 'pg';
import {
  type Connection,
  isBroken,
  type PoolConnection,
  type PoolLike,
  pooled,
  type Result,
  type Statement,
  send,
  type Types,
  take,
} from './connection.js';

/** A statement as Prisma gave it to `pg`. */
export interface Sent {
  text: string;
  values: unknown[];
}

/** The answer of the database to one statement, with values in text. Later statements are sent to `connection`. */
export type Answer = { error: unknown } | { result: Result; connection: Connection };

const NOTHING: Result = { command: '', fields: [], rows: [], rowCount: 0 };

type Query = (config: QueryArrayConfig & { types: Types }) => Promise<Result>;

/** What Prisma's adapter asks of a connection inside of a transaction. */
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
