import type { PGlite } from '@electric-sql/pglite';
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';

type Admit = (sql: string) => void;

/**
 * Prisma's adapter for the embedded database, with two faults of pglite-prisma-adapter 0.7.2 made good: it drops the error of a
 * COMMIT, so that a transaction which PostgreSQL refused at its end is reported as done; and it does not wait for a
 * script, so that a failing one becomes an unhandled rejection.
 * @param admit throws for a statement that must not run now
 */
export const embeddedAdapter = (pglite: PGlite, admit: Admit = () => {}): SqlDriverAdapterFactory => ({
  provider: 'postgres',
  adapterName: 'pglite-prisma-adapter',
  connect: () => connect(pglite, admit),
});

/** What runs statements, asking first. */
function asking<T extends SqlQueryable>(queryable: T, admit: Admit): T {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  const asked = (query: SqlQuery): SqlQuery => {
    admit(query.sql);
    return query;
  };
  return Object.assign(queryable, {
    queryRaw: async (query: SqlQuery) => queryRaw(asked(query)),
    executeRaw: async (query: SqlQuery) => executeRaw(asked(query)),
  });
}

async function connect(pglite: PGlite, admit: Admit): Promise<SqlDriverAdapter> {
  const adapter = asking(await new PrismaPGlite(pglite).connect(), admit);
  return Object.assign(adapter, {
    executeScript: async (script: string): Promise<void> => void (await pglite.exec(script)),
    startTransaction: () => startTransaction(pglite, admit),
  });
}

/** One connection, one transaction at a time: every isolation level is kept by waiting, so none is set. */
async function startTransaction(pglite: PGlite, admit: Admit): Promise<Transaction> {
  let outcome: Promise<unknown> | undefined;
  const watched = new Proxy(pglite, {
    get(target, key) {
      if (key === 'transaction') return (work: never) => (outcome = target.transaction(work));
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const transaction = asking(await (await new PrismaPGlite(watched).connect()).startTransaction(), admit);
  const commit = transaction.commit.bind(transaction);
  return Object.assign(transaction, {
    commit: async (): Promise<void> => {
      await commit();
      await outcome;
    },
  });
}
