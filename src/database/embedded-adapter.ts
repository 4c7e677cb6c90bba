import type { PGlite } from '@electric-sql/pglite';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';

/**
 * Prisma's adapter for the embedded database, with two faults of pglite-prisma-adapter 0.7.2 made good: it drops the error of a
 * COMMIT, so that a transaction which PostgreSQL refused at its end is reported as done; and it does not wait for a
 * script, so that a failing one becomes an unhandled rejection.
 */
export const embeddedAdapter = (pglite: PGlite): SqlDriverAdapterFactory => ({
  provider: 'postgres',
  adapterName: 'pglite-prisma-adapter',
  connect: () => connect(pglite),
});

async function connect(pglite: PGlite): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPGlite(pglite).connect();
  return Object.assign(adapter, {
    executeScript: async (script: string): Promise<void> => void (await pglite.exec(script)),
    startTransaction: () => startTransaction(pglite),
  });
}

/** One connection, one transaction at a time: every isolation level is kept by waiting, so none is set. */
async function startTransaction(pglite: PGlite): Promise<Transaction> {
  let outcome: Promise<unknown> | undefined;
  const watched = new Proxy(pglite, {
    get(target, key) {
      if (key === 'transaction') return (work: never) => (outcome = target.transaction(work));
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const transaction = await (await new PrismaPGlite(watched).connect()).startTransaction();
  const commit = transaction.commit.bind(transaction);
  return Object.assign(transaction, {
    commit: async (): Promise<void> => {
      await commit();
      await outcome;
    },
  });
}
