import { createHash } from 'node:crypto';
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
 * @param name for people who look into a server: words
 * @param text one statement of SQL; a value is `$1`, with its type (`$1::int[]`) where PostgreSQL cannot know it
 */
export function statement<Values extends readonly Value[], Row extends object>(
  name: string,
  text: string,
): Statement<Values, Row> {
  // Of the text as well: a pooler in front of the server may give one connection to instances of two versions.
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, HASH);
  return { name: `${name.slice(0, LONGEST_NAME - HASH - 1)} ${hash}`, text };
}

/** Runs prepared statements, beside Prisma and on the same database. What they throw `faultOf` classifies, as it does with Prisma's. */
export interface Statements {
  /** Reads a few rows, to which an index leads: on a connection that others share, where each waits for those before it. */
  read: <Values extends readonly Value[], Row extends object>(
    statement: Statement<Values, Row>,
    ...values: Values
  ) => Promise<Row[]>;
  /** For all others: on a connection of its own until it is done. */
  run: Statements['read'];
}

/** How a driver runs one. */
export type Send = (statement: { name: string; text: string }, values: Encoded[]) => Promise<object[]>;

export function statementsOf({ read, run }: { read: Send; run: Send }): Statements {
  const typed =
    (send: Send): Statements['run'] =>
    (statement, ...values) =>
      send(statement, values.map(encode)) as Promise<never[]>;
  return { read: typed(read), run: typed(run) };
}
