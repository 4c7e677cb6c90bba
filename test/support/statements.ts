import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import pg from 'pg';

/** True in the context of an HTTP request. Jobs and keep-alive queries send statements at other times. */
const ofRequest = new AsyncLocalStorage<boolean>();
subscribe('http.server.request.start', () => ofRequest.enterWith(true));

/** Receive the statements of all connections. */
const listeners = new Set<(sql: string) => void>();

/** Both databases use pg. */
const prototype = pg.Client.prototype as unknown as { query: (...args: never[]) => unknown };
const { query } = prototype;
/** The prefix of the periodic check that notifications arrive. It is nobody's statement. */
const PROOF = 'accord_proof_';
prototype.query = function (this: unknown, ...args: never[]) {
  const [first, second] = args as unknown as [string | { text: string; values?: unknown[] }, unknown[]?];
  const [text, values = []] = typeof first === 'string' ? [first, second] : [first.text, first.values];
  const { connection, connectionParameters } = this as Wire;
  const isOfChecks = / (check|signals)$/.test(connectionParameters?.application_name ?? '');
  if (connection?.stream instanceof Socket && !isOfChecks) wires.add(connection.stream);
  const isProof = Array.isArray(values) && String(values[0]).startsWith(PROOF);
  for (const listener of isProof ? [] : listeners) listener(text);
  return query.apply(this as typeof prototype, args);
};

interface Wire {
  connection?: { stream: unknown };
  connectionParameters?: { application_name?: string };
}
/** The sockets of servers, which the embedded database does not have, without those of periodic checks. */
const wires = new WeakSet<object>();

/** Returns the text of a call of `_write` or `_writev`. */
const textOf = ([written]: readonly unknown[]): string =>
  Array.isArray(written) ? written.map(({ chunk }) => String(chunk)).join('') : String(written);

/** True for a write to the server that is no periodic check. @param args of `_write` or `_writev` */
export const isWrite = (socket: unknown, args: readonly unknown[]): boolean =>
  wires.has(socket as object) && !textOf(args).includes(PROOF);

let writes = 0;
for (const name of ['_write', '_writev'] as const) {
  const original = Socket.prototype[name] as (...args: unknown[]) => void;
  Socket.prototype[name] = function (this: Socket, ...args: unknown[]) {
    if (ofRequest.getStore() === true && isWrite(this, args)) writes += 1;
    original.apply(this, args);
  };
}

interface Sent<T> {
  result: T;
  statements: string[];
  /** Writes to the server; 0 for the embedded database. Statements of one write wait for the network once. */
  writes: number;
}

async function listened<T>(work: () => Promise<T>, counts: (sql: string) => boolean): Promise<Sent<T>> {
  const statements: string[] = [];
  const listener = (sql: string) => {
    if (counts(sql)) statements.push(sql);
  };
  listeners.add(listener);
  const before = writes;
  try {
    return { result: await work(), statements, writes: writes - before };
  } finally {
    listeners.delete(listener);
  }
}

/** Records every matching statement until `stop` is called. */
export function watchStatements(fits: RegExp): { seen: string[]; stop: () => void } {
  const seen: string[] = [];
  const listener = (sql: string) => {
    if (fits.test(sql)) seen.push(sql);
  };
  listeners.add(listener);
  return { seen, stop: () => listeners.delete(listener) };
}
/** The beginning and the end of transactions, and what a new connection asks about its server. */
const IS_OF_NO_REQUEST = /^\s*(BEGIN|COMMIT|SELECT pg_backend_pid)|\bdatabase_state\b/;

/** Returns the statements of HTTP requests while `work` runs. No other request may run. */
export const statementsOf = <T>(work: () => Promise<T>): Promise<Sent<T>> =>
  listened(work, (sql) => ofRequest.getStore() === true && !IS_OF_NO_REQUEST.test(sql));

/** Returns all statements while `work` runs. */
export const statementsMeanwhile = <T>(work: () => Promise<T>): Promise<Sent<T>> => listened(work, () => true);
