import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** Set in all that a request over HTTP leads to; jobs, and what keeps a connection alive, send theirs at times of their own. */
const ofRequest = new AsyncLocalStorage<boolean>();
subscribe('http.server.request.start', () => ofRequest.enterWith(true));

/** Get what any connection is sent, while somebody listens. */
const listeners = new Set<(sql: string) => void>();

/** Both databases are asked by pg. */
const prototype = pg.Client.prototype as unknown as { query: (...args: never[]) => unknown };
const { query } = prototype;
prototype.query = function (this: unknown, ...args: never[]) {
  const [first, second] = args as unknown as [string | { text: string; values?: unknown[] }, unknown[]?];
  const [text, values = []] = typeof first === 'string' ? [first, second] : [first.text, first.values];
  // That signals are heard is proved now and then, for whoever comes next.
  const isProof = Array.isArray(values) && String(values[0]).startsWith('accord_proof_');
  for (const listener of isProof ? [] : listeners) listener(text);
  return query.apply(this as typeof prototype, args);
};

interface Sent<T> {
  result: T;
  statements: string[];
}

async function listened<T>(work: () => Promise<T>, counts: (sql: string) => boolean): Promise<Sent<T>> {
  const statements: string[] = [];
  const listener = (sql: string) => {
    if (counts(sql)) statements.push(sql);
  };
  listeners.add(listener);
  try {
    return { result: await work(), statements };
  } finally {
    listeners.delete(listener);
  }
}

/** Notes every statement that fits, whoever sends it, until `stop` is called. */
export function watchStatements(fits: RegExp): { seen: string[]; stop: () => void } {
  const seen: string[] = [];
  const listener = (sql: string) => {
    if (fits.test(sql)) seen.push(sql);
  };
  listeners.add(listener);
  return { seen, stop: () => listeners.delete(listener) };
}
/**
 * The statements that the drivers of both databases send while `work` runs, for requests over HTTP: transactions without
 * their beginning and end. No other request may run meanwhile.
 */
export const statementsOf = <T>(work: () => Promise<T>): Promise<Sent<T>> =>
  listened(work, (sql) => ofRequest.getStore() === true && !/^\s*(BEGIN|COMMIT)/.test(sql));

/** All that are sent meanwhile, whatever for. */
export const statementsMeanwhile = <T>(work: () => Promise<T>): Promise<Sent<T>> => listened(work, () => true);
