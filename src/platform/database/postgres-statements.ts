import type { Pool, QueryConfig, QueryResult } from 'pg';
import type { Telling } from './postgres-adapter.js';
import type { sharedConnections } from './shared-connections.js';
import { type Send, type Statements, statementsOf } from './statement.js';
import { decoderOf } from './values.js';

const types = { getTypeParser: decoderOf };

/**
 * Prepared statements on a PostgreSQL server.
 * @param pool of connections that are each somebody's own meanwhile; throws when it is closed
 */
export function postgresStatements(
  shared: ReturnType<typeof sharedConnections>,
  pool: () => Pool,
  telling: Telling,
): Statements {
  const sending =
    (query: (config: QueryConfig, own: Pool) => Promise<QueryResult>): Send =>
    async ({ name, text }, values) => {
      const config = { name, text, values, types } as QueryConfig;
      return (await telling(query(config, pool()))).rows;
    };
  return statementsOf({
    // A copy for each, for pg-pool writes its callback into what it is given.
    read: sending((config, own) => shared.query(config, () => own.query({ ...config }))),
    run: sending((config, own) => own.query(config)),
  });
}
