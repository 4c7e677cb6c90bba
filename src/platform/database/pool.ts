import { Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { isBroken } from '../prepared-prisma/connection.js';
import { faultOf, reasonOf } from './faults.js';
import type { Dependency } from './outages.js';

/** Reports to the outage log whether the server answered, and returns the same promise. */
export type ReportOutcome = <T>(work: Promise<T>) => Promise<T>;

export const outcomeReporter =
  (server: Dependency): ReportOutcome =>
  (work) => {
    work.then(server.back, (error: unknown) => isUnavailable(error) && server.away(reasonOf(error)));
    return work;
  };

/** Returns true for an outage of the server; false if only the pool of this instance is exhausted. */
function isUnavailable(error: unknown): boolean {
  return ['unavailable', 'denied'].includes(faultOf(error).kind) && !reasonOf(error).startsWith('timeout exceeded');
}

interface PoolOptions extends PoolConfig {
  reportOutcome?: ReportOutcome;
  admit?: ((sql: string) => void) | undefined;
}

/**
 * Opens a pool whose connections survive SQL errors. The `query` of pg's pool closes the connection after each error.
 */
export function openPool({ reportOutcome = (work) => work, admit, ...config }: PoolOptions): Pool {
  const pool = new Pool({ ...config, pipeline: true } as PoolConfig);
  const ignore = () => {}; // the current or next statement rejects
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    if (admit) checkStatements(client, admit);
  });
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  async function query(...args: [QueryConfig, unknown[]?]): Promise<QueryResult> {
    const client = await connect();
    let failure: Error | undefined;
    try {
      return await client.query(...args);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure && isBroken(failure) ? failure : undefined);
    }
  }
  return Object.assign(pool, {
    connect: () => reportOutcome(connect()),
    query: (...args: Parameters<typeof query>) => reportOutcome(query(...args)),
  }) as Pool;
}

function checkStatements(client: PoolClient, admit: (sql: string) => void): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const checkedQuery = (...args: [string | QueryConfig, ...unknown[]]): unknown => {
    const [statement] = args;
    const callback = args.at(-1);
    try {
      admit(typeof statement === 'string' ? statement : statement.text);
    } catch (refusal) {
      if (typeof callback !== 'function') return Promise.reject(refusal);
      return void process.nextTick(callback as (refusal: unknown) => void, refusal);
    }
    return query(...args);
  };
  Object.assign(client, { query: checkedQuery });
}
