import { type messages, type PGlite, protocol } from '@electric-sql/pglite';
import { type Send, type Statements, statementsOf } from './statement.js';
import type { TimeLimits } from './time-limits.js';
import { beginningWithin, type Carrier, committed, inTransaction } from './transaction.js';
import { decoderOf } from './values.js';

const { bind, describe, execute: executing, parse, query, sync } = protocol.serialize;

/** Messages of PostgreSQL's protocol in one buffer: each call of PGlite costs more than most statements. */
const together = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const EXECUTE = together(executing({}), sync());
const BEGIN = together(query('BEGIN'));
const NOTHING = new Uint8Array();

/** Makes a row of its columns, each of them as text. */
type RowOf = (fields: readonly (string | null)[]) => object;

/** @param description undefined of a statement that gives none */
function rowsOf(description: messages.RowDescriptionMessage | undefined): RowOf {
  const columns = (description?.fields ?? []).map(({ name, dataTypeID }) => ({ name, decode: decoderOf(dataTypeID) }));
  return (texts) => {
    const row: Record<string, unknown> = {};
    columns.forEach(({ name, decode }, place) => {
      const text = texts[place] ?? null;
      row[name] = text === null ? null : decode(text);
    });
    return row;
  };
}

/**
 * Prepared statements on the embedded database. `PGlite.query` has each read and planned anew, in five calls; here it is one.
 * @param admit throws for a statement that must not run now
 * @param limits how long a transaction waits for those before it, and how long it may take
 */
export function embeddedStatements(
  pglite: PGlite,
  admit: (sql: string) => void,
  { connect, transaction: limit }: TimeLimits,
): Statements {
  const prepared = new Map<string, RowOf>();

  const send = (...parts: Uint8Array[]) => pglite.execProtocolStream(together(...parts), { syncToFs: false });

  /** @param before what goes to the database together with it */
  async function prepare({ name, text }: { name: string; text: string }, before: Uint8Array): Promise<RowOf> {
    const named = { type: 'S', name } as const;
    const answer = await send(before, parse({ name, text }), describe(named), sync());
    const description = answer.find(({ name }) => name === 'rowDescription');
    const rowOf = rowsOf(description as messages.RowDescriptionMessage | undefined);
    // The next one without a name takes its place.
    if (name !== '') prepared.set(name, rowOf);
    return rowOf;
  }

  async function execute(statement: Parameters<Send>[0], values: Parameters<Send>[1], before: Uint8Array = NOTHING) {
    // One without a name is forgotten by the next.
    const known = statement.name ? prepared.get(statement.name) : undefined;
    const rowOf = known ?? (await prepare(statement, before));
    const first = known ? before : NOTHING;
    const answer = await send(first, bind({ statement: statement.name, values: values as never[] }), EXECUTE);
    const rows = answer.flatMap((message) =>
      message.name === 'dataRow' ? [rowOf((message as messages.DataRowMessage).fields)] : [],
    );
    return { rows, count: Number(tagOf(answer).split(' ').at(-1)) || 0 };
  }

  /** Between transactions: there is one connection, and whatever came in the midst of one would be part of it. */
  async function alone<R>(work: () => Promise<R>): Promise<R> {
    await pglite._checkReady();
    return pglite._runExclusiveTransaction(work);
  }

  const run: Send = (statement, values) =>
    alone(async () => {
      admit(statement.text);
      return execute(statement, values);
    });

  function carrier(): Carrier {
    let hasBegun = false;
    // One after the other, for PGlite keeps one answer at a time.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = <R>(work: () => Promise<R>): Promise<R> => {
      const done = last.then(work);
      last = done.catch(() => {});
      return done;
    };
    const end = (sql: string) => inTurn(async () => (hasBegun ? tagOf(await send(query(sql))) : sql));
    return {
      send: (statement, values) =>
        inTurn(async () => {
          // What must not run begins nothing.
          admit(statement.text);
          const before = hasBegun ? NOTHING : BEGIN;
          hasBegun = true;
          return execute(statement, values, before);
        }),
      commit: async () => committed(await end('COMMIT')),
      rollback: async () => void (await end('ROLLBACK')),
    };
  }

  return statementsOf({
    read: run,
    run,
    transaction: (work) =>
      beginningWithin(connect, (begin) => alone(() => begin(() => inTransaction(carrier(), limit, work)))),
  });
}

/** What PostgreSQL says of a statement that is done: `INSERT 0 1`. */
function tagOf(answer: readonly { name: string }[]): string {
  const done = answer.findLast(({ name }) => name === 'commandComplete');
  return (done as messages.CommandCompleteMessage | undefined)?.text ?? '';
}
