import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Telling } from './postgres-adapter.js';
import { PreparedQuery } from './prepared-query.js';
import type { Query, sharedConnections } from './shared-connections.js';
import { type Send, type Statements, statementsOf } from './statement.js';
import { type Carrier, committed, inTransaction } from './transaction.js';
import { decoderOf } from './values.js';

const types = { getTypeParser: decoderOf };

/** Prepared, so that it is sent with what follows it. */
const begin = () => new PreparedQuery('begin', 'BEGIN', []);

/** Runs it where it is said to. By callback: of what pg did not make itself it gives no promise. */
const ran = (on: Pool | PoolClient, query: Query): Promise<QueryResult> =>
  new Promise((resolve, reject) => {
    on.query(query() as QueryConfig, (error, result) => (error ? reject(error) : resolve(result)));
  });

/**
 * Prepared statements on a PostgreSQL server.
 * @param pool of connections that are each somebody's own meanwhile; throws when it is closed
 * @param limit milliseconds for all of a transaction
 */
export function postgresStatements(
  shared: ReturnType<typeof sharedConnections>,
  pool: () => Pool,
  telling: Telling,
  limit: number,
): Statements {
  const sending =
    (run: (query: Query, own: Pool) => Promise<QueryResult>): Send =>
    async ({ name, text }, values) => {
      const query = () =>
        name === '' ? ({ text, values, types } as QueryConfig) : new PreparedQuery(name, text, values);
      const { rows, rowCount } = await telling(run(query, pool()));
      return { rows, count: rowCount ?? 0 };
    };

  /** On a connection that pipelines, so that BEGIN and what follows it are on their way together. */
  async function carrier(): Promise<Carrier> {
    const client = await telling(pool().connect());
    const ignore = () => {}; // the statement under way, or the next one, rejects
    client.on('error', ignore);
    const release = (isBroken: boolean) => {
      client.off('error', ignore);
      client.release(isBroken);
    };
    let hasBegun = false;
    return {
      send: sending((query) => {
        // Without it the statement fails as well, and says so.
        if (!hasBegun) ran(client, begin).catch(() => {});
        hasBegun = true;
        return ran(client, query);
      }),
      commit: async () => {
        if (hasBegun) committed((await client.query('COMMIT')).command);
        release(false);
      },
      rollback: async (isLate) => {
        const rolledBack = isLate ? Promise.reject(new Error('late')) : client.query('ROLLBACK');
        await rolledBack.then(
          () => release(false),
          () => release(true),
        );
      },
    };
  }

  return statementsOf({
    read: sending((query, own) => shared.query(query, () => ran(own, query))),
    run: sending((query, own) => ran(own, query)),
    transaction: async (work) => inTransaction(await carrier(), limit, work),
  });
}
