import type { Connection, QueryResult, Submittable } from 'pg';
import { decoderOf, type Encoded } from './values.js';

/** The columns of a statement's rows, as PostgreSQL describes them. */
interface Columns {
  names: string[];
  decoders: ((text: string) => unknown)[];
}

/** What pg keeps of a connection, beside what its types tell. */
interface Prepared extends Omit<Connection, 'bind' | 'execute' | 'parse'> {
  /** Texts by name: of what the server has said that it prepared, and of what it has been sent. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse: (statement: { name: string; text: string }) => void;
  bind: (bound: { statement: string; values: (string | Buffer | null)[] }) => void;
  describe: (described: { type: 'P' }) => void;
  execute: (executed: object) => void;
  sync: () => void;
}

type Answered = (error: Error | null, result?: Pick<QueryResult, 'rows' | 'rowCount'>) => void;

/** Of each connection, by the statements' names. */
const known = new WeakMap<object, Map<string, Columns>>();

const NO_COLUMNS: Columns = { names: [], decoders: [] };

function knownOf(connection: object): Map<string, Columns> {
  const columns = known.get(connection) ?? new Map<string, Columns>();
  known.set(connection, columns);
  return columns;
}

/**
 * What a connection is sent in one turn of the event loop goes out in one write: each wakes the server, and costs as much as a
 * third of all that a statement takes here.
 */
function writeTogether(stream: Connection['stream']): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/**
 * One run of a named statement, as pg takes what it did not make itself. It does what pg's own does, but that PostgreSQL is asked
 * for a description of the rows once for each connection, with the first run, and not each time: it stays the same, for PostgreSQL
 * refuses a prepared statement whose rows have become others ("cached plan must not change result type").
 */
export class PreparedQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly Encoded[];
  #connection: Prepared | undefined;
  #columns: Columns | undefined;
  #rows: object[] = [];
  #count = 0;
  #failure: Error | undefined;

  /** Called once it is over; pg sets it. */
  callback: Answered | undefined;

  constructor(name: string, text: string, values: readonly Encoded[]) {
    this.name = name;
    this.text = text;
    this.#values = values;
  }

  submit(given: Connection): Error | null {
    const connection = given as unknown as Prepared;
    this.#connection = connection;
    const before = connection.parsedStatements[this.name] ?? connection.submittedNamedStatements[this.name];
    this.#columns = before === undefined ? undefined : knownOf(connection).get(this.name);
    writeTogether(connection.stream);
    if (before === undefined) {
      connection.parse({ name: this.name, text: this.text });
      connection.submittedNamedStatements[this.name] = this.text;
    }
    const values = this.#values.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value,
    );
    connection.bind({ statement: this.name, values });
    if (this.#columns === undefined) connection.describe({ type: 'P' });
    connection.execute({});
    connection.sync();
    return null;
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      decoders: fields.map(({ dataTypeID }) => decoderOf(dataTypeID)),
    };
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { names, decoders } = this.#columns ?? NO_COLUMNS;
    const row: Record<string, unknown> = {};
    try {
      for (const [i, text] of fields.entries()) row[names[i] as string] = text === null ? null : decoders[i]?.(text);
    } catch (error) {
      this.#failure ??= error as Error;
    }
    this.#rows.push(row);
  }

  /** @param text as `INSERT 0 1`: what was done, and to how many rows */
  handleCommandComplete({ text }: { text: string }): void {
    this.#count = Number(/ (\d+)$/.exec(text)?.[1] ?? 0);
    // Of what gives no rows there is no description.
    if (this.#connection) knownOf(this.#connection).set(this.name, this.#columns ?? NO_COLUMNS);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.callback?.(this.#failure);
    else this.callback?.(null, { rows: this.#rows, rowCount: this.#count });
  }

  /** These come of what no statement here is: empty, in portions, COPY. */
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(connection: { sendCopyFail: (reason: string) => void }): void {
    connection.sendCopyFail('Nothing is copied by a prepared statement.');
  }
  handleCopyData(): void {}
}
