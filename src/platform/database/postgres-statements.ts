import type { Pool, QueryConfig, QueryResult } from 'pg';
import { namedQuery, writeTogether } from './named-query.js';
import type { Telling } from './postgres-adapter.js';
import type { sharedConnections } from './shared-connections.js';
import { type Send, type Statements, statementsOf } from './statement.js';
import { type Carrier, committed, inTransaction } from './transaction.js';

const begin = namedQuery('begin', 'BEGIN');

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
    (run: (query: QueryConfig, own: Pool) => Promise<QueryResult>): Send =>
    async ({ name, text }, values) => {
      const { rows, rowCount } = await telling(run(namedQuery(name, text, values), pool()));
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
        writeTogether(client);
        // Without it the statement fails as well, and says so.
        if (!hasBegun) client.query(begin).catch(() => {});
        hasBegun = true;
        return client.query(query);
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
    read: sending((query, own) => shared.query(query, () => own.query(query))),
    run: sending((query, own) => own.query(query)),
    transaction: async (work) => inTransaction(await carrier(), limit, work),
  });
}
