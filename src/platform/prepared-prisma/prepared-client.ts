/** A Prisma client whose calls cost as much as named statements of `pg`. See README.md. */
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { type CallScope, callsOf, type Statistics, settled, statistics } from './calls.js';
import { type Connection, joiningAdapter, type PoolLike, pooledConnection, type Reading } from './connection.js';
import type { DataModel } from './data-model.js';
import { clientFactory, delegatesOf, LazyCall, type ScopedClient } from './delegates.js';
import { planCache, statementNames } from './plans.js';
import { type AnyClient, dryRuns } from './recorder.js';
import { type OpenTransaction, openTransaction, type TransactionLimits } from './transaction.js';

export interface Options extends Partial<TransactionLimits> {
  /** Runs single reads outside of transactions; the pool by default. */
  reads?: Connection;
  /** The number of kept plans. */
  plans?: number;
  /** The number of prepared statements on each connection. */
  names?: number;
  /** The number of results of each plan that are compared with the results of Prisma. */
  verified?: number;
  /** The number of recordings per second. */
  recordings?: number;
}

/** Returns a client whose reads are bounded. It inherits from `client`, which may be a Proxy. */
export const boundedClient = <Client extends object>(client: Client, reading: Reading): Client =>
  Object.assign(Object.create(client), { $scope: { ...(client as ScopedClient).$scope, reading }, $delegates: {} });

interface TransactionOptions extends Partial<TransactionLimits> {
  isolationLevel?: string;
}

/** @param make `(adapter) => new PrismaClient({ adapter })` @param pool `pg.Pool`, which the caller closes */
export function preparedClient<Client extends object>(
  make: (adapter: SqlDriverAdapterFactory) => Client,
  pool: PoolLike,
  dataModel: DataModel,
  {
    reads,
    plans: maxPlans = 1000,
    names: maxNames = 500,
    verified = 2,
    recordings = 20,
    maxWait = 2000,
    timeout = 5000,
  }: Options = {},
): Client {
  const counts: Statistics = { prepared: 0, unrecorded: 0, replayed: 0, recorded: 0, fallbacks: new Map() };
  const names = statementNames(maxNames);
  const joining = joiningAdapter(pool, names.nameOfRepeated);
  const real = make(joining.factory);
  const prisma = real as unknown as AnyClient & { _clientVersion?: string };
  const clientVersion = prisma._clientVersion ?? '';
  const dry = dryRuns((adapter) => make(adapter) as unknown as AnyClient);
  const plans = planCache(maxPlans, recordings);
  const calls = callsOf({ dataModel, dryRuns: dry, plans, names, counts, verified });

  const onPool = pooledConnection(pool);
  const outside: CallScope = {
    connection: onPool,
    reads: reads ?? onPool,
    isTransaction: false,
    prisma: async (run) => run(prisma),
  };

  /** Serialises joins, so that each gets its own connection. */
  let joinFree: Promise<unknown> = Promise.resolve();

  /** Lets Prisma use the connection of an open transaction from its first call on. */
  function joinable(connection: Connection) {
    let prismaClient: Promise<AnyClient> | undefined;
    let leave: (() => void) | undefined;
    let ended: Promise<unknown> | undefined;
    const running = new Set<Promise<unknown>>();
    const join = (): Promise<AnyClient> =>
      new Promise((resolve, reject) => {
        joining.join(connection);
        const work = (client: AnyClient) =>
          new Promise<void>((done) => {
            leave = done;
            resolve(client);
          });
        const forever = { maxWait: 2 ** 31 - 1, timeout: 2 ** 31 - 1 };
        // The isolation level only marks the join: the transaction is open.
        ended = prisma.$transaction(work, { ...forever, isolationLevel: 'ReadCommitted' }).catch(reject);
      });
    return {
      prisma: (run: (client: AnyClient) => unknown): Promise<unknown> => {
        prismaClient ??= joinFree.then(join);
        joinFree = prismaClient.catch(() => {});
        const work = prismaClient.then(run);
        const ended = () => void running.delete(work);
        running.add(work);
        work.then(ended, ended);
        return work;
      },
      leave: async () => {
        if (prismaClient === undefined) return;
        const results = await Promise.allSettled(running);
        leave?.();
        await ended;
        const failed = results.find(({ status }) => status === 'rejected');
        if (failed) throw (failed as PromiseRejectedResult).reason;
      },
    };
  }

  async function inTransaction<T>(
    { reading }: CallScope,
    work: (scope: CallScope) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const limits = { maxWait: options.maxWait ?? maxWait, timeout: options.timeout ?? timeout };
    let transaction: OpenTransaction;
    const prismaSide = joinable({ query: (statement) => transaction.query(statement) });
    try {
      transaction = await openTransaction(pool, limits, options.isolationLevel, clientVersion, prismaSide.leave);
    } catch (error) {
      throw await dry.transactionError(error, 'connect');
    }
    const { prisma } = prismaSide;
    const scope = { connection: transaction, reads: transaction, isTransaction: true, reading, prisma };
    let value: T;
    try {
      value = await work(scope);
    } catch (error) {
      await transaction.rollback().catch(() => {});
      throw error;
    }
    await transaction.commit().catch(async (error: unknown) => {
      throw await dry.transactionError(error, 'COMMIT');
    });
    return value;
  }

  function transact(from: CallScope, work: unknown, options?: TransactionOptions): Promise<unknown> {
    if (typeof work === 'function') return inTransaction(from, (scope) => work(createClient(scope)), options);
    const list = work as LazyCall[];
    if (!list.every((one) => one instanceof LazyCall))
      throw new Error('All elements of the array need to be Prisma Client promises. Calls of a transaction are none.');
    return inTransaction(
      from,
      async (scope) => {
        const values: unknown[] = [];
        for (const one of list) values.push(await LazyCall.startIn(one, scope));
        return values;
      },
      options,
    );
  }

  const delegates = delegatesOf(dataModel, calls, prisma);
  const createClient = clientFactory<Client>(delegates, calls, real, transact);
  const client = createClient(outside);
  return Object.defineProperties(client, {
    $disconnect: { value: async () => void (await Promise.all([prisma.$disconnect(), dry.close()])) },
    [statistics]: { value: counts },
    [settled]: { value: plans.settled },
  });
}
