/** Runs of Prisma without a database. */

import { type Answer, dryAdapter, type Sent } from './prisma-adapters.js';
import type { Call } from './shape.js';

export interface DryRun {
  value: unknown;
  error: unknown;
  sent: Sent[];
}

/** A Prisma client, as far as this module calls it by names. */
export type AnyClient = Record<string, Record<string, (args?: object) => Promise<unknown>>> & {
  $transaction: (work: (client: AnyClient) => Promise<unknown>, options?: object) => Promise<unknown>;
  $queryRaw: (query: object) => Promise<unknown>;
  $executeRaw: (query: object) => Promise<unknown>;
  $disconnect: () => Promise<void>;
};

/** The member of a Prisma client that has the operations of a model. */
export const memberOf = (model: string): string => (model[0] ?? '').toLowerCase() + model.slice(1);

export interface DryRuns {
  /** Runs a call. Without an answer the statement finds nothing. */
  run: (call: Call, args: object | undefined, answer?: Answer) => Promise<DryRun>;
  /** Runs a raw query. */
  raw: (method: '$queryRaw' | '$executeRaw', query: object, answer: Answer) => Promise<DryRun>;
  /** Returns the error that Prisma makes of one that a transaction met at its beginning or at its COMMIT. */
  transactionError: (error: unknown, at: 'connect' | 'COMMIT') => Promise<unknown>;
  close: () => Promise<void>;
}

/** @param make makes a Prisma client. Called with the first run: until then there is no second engine. */
export function dryRuns(make: (adapter: ReturnType<typeof dryAdapter>['factory']) => AnyClient): DryRuns {
  const adapter = dryAdapter();
  let client: AnyClient | undefined;
  /** One after the other, because the adapter holds one answer. Also keeps Prisma from joining two `findUnique`. */
  let free: Promise<unknown> = Promise.resolve();
  function inTurn(work: (client: AnyClient) => Promise<unknown>, answer?: Answer, only?: string): Promise<DryRun> {
    const run = async (): Promise<DryRun> => {
      client ??= make(adapter.factory);
      const sent = adapter.expect(answer, only);
      return work(client).then(
        (value) => ({ value, error: undefined, sent }),
        (error: unknown) => ({ value: undefined, error, sent }),
      );
    };
    const done = free.then(run);
    free = done.catch(() => {});
    return done;
  }
  return {
    run: ({ model, operation }, args, answer) =>
      inTurn(async (client) => client[memberOf(model.name)]?.[operation]?.(args), answer),
    raw: (method, query, answer) => inTurn(async (client) => client[method](query), answer),
    async transactionError(error, at) {
      const run = await inTurn(
        (client) => client.$transaction(async () => {}),
        { error },
        at === 'COMMIT' ? at : undefined,
      );
      return run.error ?? error;
    },
    close: async () => client?.$disconnect(),
  };
}
