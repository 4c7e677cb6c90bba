import { createHash } from 'node:crypto';
import { Sql as RawSql, sqltag } from '@prisma/client/runtime/client';
import { statementNames } from './statement-names.js';
import { type Encoded, encode, type Value } from './values.js';

/**
 * A statement that is said once, where the program is loaded, and prepared once by each connection that runs it.
 * @typeParam Values what stands for `$1`, `$2` and so on
 * @typeParam Row what its columns are, by their names; a test holds that they are so (test/project/statements.test.ts)
 */
export interface Statement<Values extends readonly Value[], Row extends object> {
  /** Under which a connection keeps it; empty where it is not worth that. */
  readonly name: string;
  readonly text: string;
  /** Only for the compiler. */
  readonly of?: (values: Values) => Row;
}

/** Bytes that a name of PostgreSQL may have, and characters of it that are made of the text. */
const LONGEST_NAME = 63;
const HASH = 16;

/**
 * @param name for people who look into a server: words. Empty for one that is not to be kept, as of texts without number
 * @param text one statement of SQL; a value is `$1`, with its type (`$1::int[]`) where PostgreSQL cannot know it
 */
export function statement<Values extends readonly Value[], Row extends object>(
  name: string,
  text: string,
): Statement<Values, Row> {
  if (name === '') return { name, text };
  // Of the text as well: a pooler in front of the server may give one connection to instances of two versions.
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, HASH);
  return { name: `${name.slice(0, LONGEST_NAME - HASH - 1)} ${hash}`, text };
}

/** Runs SQL in the words of Prisma's raw queries: its client and its transactions do, and what is prepared beside them. */
export interface Sql {
  $queryRaw: <Rows = unknown>(
    query: TemplateStringsArray | RawSql,
    // biome-ignore lint/suspicious/noExplicitAny: as Prisma's clients take them, which are to fit here.
    ...values: any[]
  ) => Promise<Rows>;
  /** @returns how many rows were written */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  $executeRaw: (query: TemplateStringsArray | RawSql, ...values: any[]) => Promise<number>;
}

/** Has work done in a transaction, which is rolled back when the work throws. Prisma's client does, and prepared statements do. */
export interface Transactions<Db extends Sql> {
  $transaction: <R>(work: (db: Db) => Promise<R>) => Promise<R>;
}

/** Runs a statement, and gives its rows. */
export type Run = <Values extends readonly Value[], Row extends object>(
  statement: Statement<Values, Row>,
  ...values: Values
) => Promise<Row[]>;

/**
 * A transaction of prepared statements, on a connection of its own. Each is sent at once, behind those before it: whoever
 * needs no answer before the next one asks for several together (`Promise.all`), and they take one way to the server and back.
 */
export interface Transaction extends Sql {
  readonly run: Run;
}

/** What rows are read by. */
export interface Reads {
  /** Reads a few rows, to which an index leads: on a connection that others share, where each waits for those before it. */
  readonly read: Run;
  /** For all others: on a connection of its own until it is done. */
  readonly run: Run;
}

/** Runs prepared statements, beside Prisma and on the same database. What they throw `faultOf` classifies, as it does with Prisma's. */
export interface Statements extends Reads, Sql, Transactions<Transaction> {}

/** How a driver runs one. */
export type Send = (
  statement: { name: string; text: string },
  values: Encoded[],
) => Promise<{ rows: object[]; count: number }>;

/** What a driver does with prepared statements. */
interface Driver {
  read: Send;
  run: Send;
  /** Gives `work` what sends within one transaction. */
  transaction: <R>(work: (send: Send) => Promise<R>) => Promise<R>;
}

export function statementsOf({ read, run, transaction }: Driver): Statements {
  /** Of those that are said in place, some are put together when they are needed. */
  const nameOf = statementNames();
  const typed =
    (send: Send): Run =>
    async (statement, ...values) =>
      (await send(statement, values.map(encode))).rows as never[];
  const inPlace = (send: Send): Sql => {
    const sent = (query: TemplateStringsArray | RawSql, given: unknown[]) => {
      const { text, values } = query instanceof RawSql ? query : sqltag(query, ...given);
      return send({ name: nameOf({ sql: text }), text }, (values as Value[]).map(encode));
    };
    return {
      $queryRaw: async (query, ...values) => (await sent(query, values)).rows as never,
      $executeRaw: async (query, ...values) => (await sent(query, values)).count,
    };
  };
  return {
    read: typed(read),
    run: typed(run),
    ...inPlace(run),
    $transaction: (work) => transaction((send) => work({ run: typed(send), ...inPlace(send) })),
  };
}
