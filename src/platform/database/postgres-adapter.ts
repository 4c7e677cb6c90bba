import type { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery, Transaction } from '@prisma/driver-adapter-utils';
import { faultOf, reasonOf } from './faults.js';
import type { Dependency } from './outages.js';

type Connected = Awaited<ReturnType<PrismaPg['connect']>>;

/** Passes on what is asked of a server, and tells whether it was there. */
export type Telling = <T>(work: Promise<T>) => Promise<T>;

export const tellingOf =
  (server: Dependency): Telling =>
  (work) => {
    work.then(server.back, (error: unknown) => isAway(error) && server.away(reasonOf(error)));
    return work;
  };

/**
 * A pool of connections which a server that has gone silent cannot fill: @prisma/adapter-pg 7.10 sends ROLLBACK after a statement
 * that was not answered, waits as long again, and puts the dead connection back, where it fails the next one.
 */
export async function connectPool(factory: PrismaPg, telling: Telling): Promise<Connected> {
  const adapter = await factory.connect();
  const start = adapter.startTransaction.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  const executeRaw = adapter.executeRaw.bind(adapter);
  let disposed: Promise<void> | undefined;
  const dispose = adapter.dispose.bind(adapter);
  return Object.assign(adapter, {
    // By Prisma, where that was connected, and by who opened the pool.
    dispose: () => (disposed ??= dispose()),
    startTransaction: async (...level: Parameters<typeof start>) => endingWhenSilent(await telling(start(...level))),
    queryRaw: (query: SqlQuery) => telling(queryRaw(query)),
    executeRaw: (query: SqlQuery) => telling(executeRaw(query)),
  });
}

/** A pool that is used up by this instance itself says no more than that there is much to do. */
function isAway(error: unknown): boolean {
  return ['unavailable', 'denied'].includes(faultOf(error).kind) && !reasonOf(error).startsWith('timeout exceeded');
}

function endingWhenSilent(transaction: Transaction): Transaction {
  const { client } = transaction as unknown as { client: { end: () => Promise<void> } };
  const ending = (error: Error): never => {
    // pg's own words for its `query_timeout`. An ended connection refuses the ROLLBACK at once, and the pool drops it.
    if (error.message === 'Query read timeout') client.end().catch(() => {});
    throw error;
  };
  const queryRaw = transaction.queryRaw.bind(transaction);
  const executeRaw = transaction.executeRaw.bind(transaction);
  return Object.assign(transaction, {
    queryRaw: (query: SqlQuery) => queryRaw(query).catch(ending),
    executeRaw: (query: SqlQuery) => executeRaw(query).catch(ending),
  });
}
