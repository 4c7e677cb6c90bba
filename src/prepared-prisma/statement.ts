/** A statement, its answer, and the query of `pg` that sends it. @module */

import { type FieldDef, Query, type QueryArrayResult } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';

/** Returns the parser of a column type. */
export interface Types {
  getTypeParser: (type: number, format?: string) => (text: string) => unknown;
}

/** A statement for `pg`. A statement with an empty name is not prepared. */
export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
  rowMode: 'array';
  types: Types;
  /** Of a statement whose rows stay text: the columns, once an answer has described them. */
  columns?: Columns;
}

export interface Columns {
  fields?: Result['fields'];
}

export type Result = Pick<QueryArrayResult, 'rows' | 'rowCount' | 'command'> & {
  fields: Pick<FieldDef, 'name' | 'dataTypeID'>[];
};

export const TEXT_TYPES: Types = { getTypeParser: () => (text) => text };

export type Done = (error: Error | null | undefined, result: Result) => void;

/** The second argument of a callback with an error. */
export const NO_RESULT: Result = { command: '', fields: [], rows: [], rowCount: 0 };

/** Returns a function that makes statements of one text, which share their columns. */
export function statementOf(name: string, text: string): (values: unknown[]) => Statement {
  const columns: Columns = {};
  return (values) => ({ name, text, values, rowMode: 'array', types: TEXT_TYPES, columns });
}

/** Execute for the portal without a name, and Sync (PostgreSQL, "Message Formats"). */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

/** Undocumented members of a connection of `pg`. */
interface Wire {
  bind: (message: object) => void;
  readonly stream: { write: (bytes: Buffer) => unknown };
}
/** Undocumented members of a query of `pg`. */
interface Internals {
  prepare: (connection: Wire) => void;
  hasBeenParsed: (connection: Wire) => boolean;
}
const internals = Query.prototype as unknown as Internals;

/**
 * A statement as a query of `pg`, without its emitter, and without the parsers of columns, because rows stay text. The columns of a
 * statement are asked for once: later answers come without a description.
 */
export class PreparedQuery {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: unknown[] | undefined;
  readonly portal = '';
  readonly columns: Columns;
  readonly rowsRead: (string | null)[][] = [];
  command = '';
  rowCount: number | null = null;
  /** Replaced by `pg` for a query with a time limit. */
  callback: Done;

  constructor({ name, text, values, columns = {} }: Statement, callback: Done) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.columns = columns;
    this.callback = callback;
  }

  prepare(connection: Wire): void {
    const { name, values, columns } = this;
    const isKnown = columns.fields !== undefined && internals.hasBeenParsed.call(this, connection);
    if (!isKnown) {
      internals.prepare.call(this, connection);
      return;
    }
    connection.bind({ portal: '', statement: name, values, valueMapper: prepareValue });
    connection.stream.write(EXECUTE_AND_SYNC);
  }

  handleRowDescription({ fields }: { fields: Result['fields'] }): void {
    this.columns.fields = fields;
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.rowsRead.push(fields);
  }

  /** Reads `SELECT 1`, `INSERT 0 1` and `CREATE TABLE`. */
  handleCommandComplete({ text }: { text: string }): void {
    const [command = '', ...counts] = text.split(' ');
    this.command = command;
    const count = Number(counts.at(-1));
    this.rowCount = Number.isNaN(count) ? null : count;
    // Without rows there is no description.
    this.columns.fields ??= [];
  }

  handleError(error: Error): void {
    this.callback(error, NO_RESULT);
  }

  handleReadyForQuery(): void {
    const { rowsRead: rows, rowCount, command, columns } = this;
    this.callback(null, { rows, rowCount, command, fields: columns.fields ?? [] });
  }
}
// A pipelined client refuses other classes.
Object.setPrototypeOf(PreparedQuery.prototype, Query.prototype);
