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
prototype.query = function (this: unknown, ...args: never[]) {
  const [first, second] = args as unknown as [string | { text: string; values?: unknown[] }, unknown[]?];
  const [text, values = []] = typeof first === 'string' ? [first, second] : [first.text, first.values];
  const { stream } = (this as Wire).connection ?? {};
  if (stream instanceof Socket) wires.add(stream);
  // Skips the periodic check that notifications arrive.
  const isProof = Array.isArray(values) && String(values[0]).startsWith('accord_proof_');
  for (const listener of isProof ? [] : listeners) listener(text);
  return query.apply(this as typeof prototype, args);
};

interface Wire {
  connection?: { stream: unknown };
}
/** The sockets of servers, which the embedded database does not have. */
const wires = new WeakSet<object>();
let writes = 0;
for (const name of ['_write', '_writev'] as const) {
  const original = Socket.prototype[name] as (...args: unknown[]) => void;
  Socket.prototype[name] = function (this: Socket, ...args: unknown[]) {
    if (wires.has(this) && ofRequest.getStore() === true) writes += 1;
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
/**
 * Returns the statements of HTTP requests while `work` runs, without the beginning and the end of transactions, and
 * without the first statement of a new connection. No other request may run.
 */
export const statementsOf = <T>(work: () => Promise<T>): Promise<Sent<T>> =>
  listened(work, (sql) => ofRequest.getStore() === true && !/^\s*(BEGIN|COMMIT|SELECT pg_backend_pid)/.test(sql));

/** Returns all statements while `work` runs. */
export const statementsMeanwhile = <T>(work: () => Promise<T>): Promise<Sent<T>> => listened(work, () => true);
