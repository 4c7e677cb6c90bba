import type { Prisma, PrismaClient } from '../../src/platform/database/client.js';
import { TEST_TIMEOUTS_MS } from './databases.js';

/**
 * Does something in the database, as another program might, that is not committed until `commit` is called.
 * @returns once it is done; `over` resolves with the commit
 */
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
