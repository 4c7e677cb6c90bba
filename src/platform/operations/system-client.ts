import type { Call } from '../calls/access.js';
import { callLog, endCalls } from './call-log.js';
import { manualTransaction } from './call-transaction.js';
import { guardedClient } from './guarded-client.js';
import type { Db } from './model.js';
import type { OperationServices } from './operation-services.js';

/** Work of the service itself, outside of any call. */
const SYSTEM: Call = {
  policy: {},
  actor: null,
  address: '',
  requestId: '',
  checkpoint: async () => {},
};

/** Runs work of the service itself in one transaction. */
export type Transact = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/**
 * Returns the transactions of jobs and other work in the background. There is no caller, so no row is denied. Writes count
 * versions, leave tombstones and announce entries as those of operations do.
 */
export const systemClient =
  ({ client, models, streams }: Pick<OperationServices, 'client' | 'models' | 'streams'>): Transact =>
  async (work) => {
    const { tx, commit, rollback } = await manualTransaction(client);
    const onCommit: (() => void)[] = [];
    const log = callLog('The transaction', true);
    const access = {
      call: SYSTEM,
      action: undefined,
      actor: () => {
        throw new Error('The system has no account.');
      },
      reader: async () => tx,
      transaction: async () => tx,
      onCommit: (after: () => void) => void onCommit.push(after),
      belonging: () => undefined,
      permitted: () => undefined,
      checkPrecondition: () => {},
    };
    try {
      const result = await work(guardedClient(models, streams, access, log));
      await endCalls(log);
      await commit(log.sent);
      for (const after of onCommit) after();
      return result;
    } catch (error) {
      log.isOver = true;
      await rollback(error);
      throw error;
    }
  };
