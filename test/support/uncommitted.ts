import type { Prisma, PrismaClient } from '../../src/platform/database/client.js';
import { TEST_TIMEOUTS_MS } from './databases.js';

/** Runs a query in a transaction that stays open until `commit` is called. `over` resolves after the commit. */
export async function uncommitted(
  client: PrismaClient,
  work: (db: Prisma.TransactionClient) => Promise<unknown>,
): Promise<{ commit: () => void; over: Promise<void> }> {
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let over = Promise.resolve();
  await new Promise<void>((done) => {
    over = client.$transaction(
      async (db) => {
        await work(db);
        done();
        await committed;
      },
      { timeout: TEST_TIMEOUTS_MS.transaction },
    );
  });
  return { commit, over };
}
