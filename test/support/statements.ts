import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** What a prototype's method was sent, by any connection, while somebody listens. */
const listeners = new Set<(sql: string) => void>();

for (const prototype of [pg.Client.prototype, PGlite.prototype] as unknown as {
  query: (...args: never[]) => unknown;
}[]) {
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: never[]) {
    const first = args[0] as unknown as string | { text: string };
    for (const listener of listeners) listener(typeof first === 'string' ? first : first.text);
    return query.apply(this as typeof prototype, args);
  };
}

/** What the background jobs of the service send at their own times: it belongs to no request. */
const OF_JOBS =
  /^\s*(BEGIN|COMMIT)|\b(payments|idempotency_keys|throttles|signing_keys|revocations|pg_try_advisory_xact_lock)\b/;

/** The statements that the drivers of both databases send while `work` runs. No other request may run meanwhile. */
export async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const statements: string[] = [];
  const listener = (sql: string) => {
    if (!OF_JOBS.test(sql)) statements.push(sql);
  };
  listeners.add(listener);
  try {
    return { result: await work(), statements };
  } finally {
    listeners.delete(listener);
  }
}
