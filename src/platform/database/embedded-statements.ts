import { type messages, type PGlite, protocol } from '@electric-sql/pglite';
import { type Send, type Statements, statementsOf } from './statement.js';
import { decoderOf } from './values.js';

const { bind, describe, execute, parse, sync } = protocol.serialize;

/** Messages of PostgreSQL's protocol in one buffer: each call of PGlite costs more than most statements. */
const together = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const EXECUTE = together(execute({}), sync());

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
 */
export function embeddedStatements(pglite: PGlite, admit: (sql: string) => void): Statements {
  const prepared = new Map<string, RowOf>();

  const send = (...parts: Uint8Array[]) => pglite.execProtocolStream(together(...parts), { syncToFs: false });

  async function prepare({ name, text }: { name: string; text: string }): Promise<RowOf> {
    const named = { type: 'S', name } as const;
    const answer = await send(parse({ name, text }), describe(named), sync());
    const description = answer.find(({ name }) => name === 'rowDescription');
    const rowOf = rowsOf(description as messages.RowDescriptionMessage | undefined);
    prepared.set(name, rowOf);
    return rowOf;
  }

  const run: Send = async (statement, values) => {
    admit(statement.text);
    await pglite._checkReady();
    // Between transactions: there is one connection, and whatever came in the midst of one would be part of it.
    return pglite._runExclusiveTransaction(async () => {
      // One without a name is forgotten by the next.
      const rowOf = (statement.name && prepared.get(statement.name)) || (await prepare(statement));
      const answer = await send(bind({ statement: statement.name, values: values as never[] }), EXECUTE);
      return answer.flatMap((message) =>
        message.name === 'dataRow' ? [rowOf((message as messages.DataRowMessage).fields)] : [],
      );
    });
  };
  return statementsOf({ read: run, run });
}
