import type { Pool, QueryConfig, QueryResult } from 'pg';
import { namedQuery, writeTogether } from './named-query.js';
import type { SharedConnections } from './shared-connections.js';
import { type Send, type Statements, statementsOf } from './statement.js';
import { type Carrier, committed, inTransaction } from './transaction.js';

const begin = namedQuery('begin', 'BEGIN');

const sending =
  (run: (query: QueryConfig) => Promise<QueryResult>): Send =>
  async ({ name, text }, values) => {
    const { rows, rowCount } = await run(namedQuery(name, text, values));
    return { rows, count: rowCount ?? 0 };
  };

/** Returns a connection that pipelines, so that BEGIN and the statement behind it are on their way together. */
async function carrierOf(pool: Pool): Promise<Carrier> {
  const client = await pool.connect();
  let hasBegun = false;
  return {
    send: sending((query) => {
      writeTogether(client);
      // Without it the statement fails as well, and says so.
      if (!hasBegun) client.query(begin).catch(() => {});
      hasBegun = true;
      return client.query(query);
    }),
    commit: async () => {
      if (hasBegun) committed((await client.query('COMMIT')).command);
      client.release();
    },
    rollback: async (isLate) => {
      const rolledBack = isLate ? Promise.reject(new Error('late')) : client.query('ROLLBACK');
      await rolledBack.then(
        () => client.release(),
        () => client.release(true),
      );
    },
  };
}

/**
 * Prepared statements on the connections of a pool.
 * @param reads run short reads, where there are such connections
 * @param limit milliseconds for all of a transaction
 */
export const poolStatements = (pool: Pool, reads: SharedConnections | undefined, limit: number): Statements =>
  statementsOf({
    read: sending((query) => (reads ? reads.query(query, () => pool.query(query)) : pool.query(query))),
    run: sending((query) => pool.query(query)),
    transaction: async (work) => inTransaction(await carrierOf(pool), limit, work),
  });
