/** A Prisma client whose calls cost as much as named statements of `pg`. See README.md. */
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { type CallScope, type Calls, callsOf, type RawQuery, type Statistics, settled, statistics } from './calls.js';
import { type Adapt, type Connection, joiningAdapter, type PoolLike, pooledConnection } from './connection.js';
import type { DataModel, Model } from './data-model.js';
import { type AnyClient, delegateName, dryRuns, planCache, statementNames } from './recorder.js';
import { type OpenTransaction, openTransaction, type TransactionLimits } from './transaction.js';

const OPERATIONS = [
  ...['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany', 'count'],
  ...['create', 'createMany', 'createManyAndReturn', 'update', 'updateMany', 'updateManyAndReturn'],
  ...['upsert', 'delete', 'deleteMany'],
];
/** Operations that only Prisma runs. */
const PRISMA_OPERATIONS = ['aggregate', 'groupBy'];

type OnFulfilled<A> = ((value: unknown) => A | PromiseLike<A>) | null;
type OnRejected<B> = ((error: unknown) => B | PromiseLike<B>) | null;

/** A call that runs when it is awaited, as Prisma's promises do. */
export class LazyCall<Scope = CallScope> implements PromiseLike<unknown> {
  readonly #start: (scope: Scope) => Promise<unknown>;
  readonly #scope: Scope;
  #promise: Promise<unknown> | undefined;

  constructor(start: (scope: Scope) => Promise<unknown>, scope: Scope) {
    this.#start = start;
    this.#scope = scope;
  }

  static startIn(call: LazyCall, scope: CallScope): Promise<unknown> {
    return call.#start(scope);
  }

  get [Symbol.toStringTag](): string {
    return 'PrismaPromise';
  }

  #run(): Promise<unknown> {
    try {
      this.#promise ??= this.#start(this.#scope);
    } catch (error) {
      this.#promise = Promise.reject(error);
    }
    return this.#promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a call runs it
  then<A = unknown, B = never>(onFulfilled?: OnFulfilled<A>, onRejected?: OnRejected<B>): Promise<A | B> {
    return this.#run().then(onFulfilled, onRejected);
  }

  catch<B>(onRejected?: OnRejected<B>): Promise<unknown> {
    return this.#run().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.#run().finally(onFinally);
  }
}

type Delegates = ReadonlyMap<PropertyKey, new (scope: CallScope) => object>;

/** @param prisma has the other members, such as `db.user.fields` */
const delegatesOf = (dataModel: DataModel, calls: Calls, prisma: AnyClient): Delegates =>
  new Map(Object.values(dataModel.models).map((model) => [delegateName(model.name), delegateOf(model, calls, prisma)]));

/** Methods that Prisma's client runs, also in a transaction. */
const PRISMA_METHODS = ['$transaction', '$queryRawUnsafe', '$executeRawUnsafe', '$queryRawTyped'];
/** Methods that the client of a transaction lacks. */
const ROOT_METHODS = ['$begin', '$connect', '$disconnect', '$on', '$use', '$extends'];

/** Returns a function that creates a client. Not a Proxy, because each transaction creates one. */
function clientFactory<Client extends object>(
  delegates: Delegates,
  calls: Calls,
  real: Client,
  ofRoot: Readonly<Record<string, (...given: never[]) => unknown>>,
) {
  class PreparedClient {
    readonly $scope: CallScope;
    readonly $delegates: Record<PropertyKey, object> = {};
    constructor(scope: CallScope) {
      this.$scope = scope;
    }
  }
  class TransactionClient extends PreparedClient {}
  for (const [member, Delegate] of delegates)
    Object.defineProperty(PreparedClient.prototype, member, {
      get(this: PreparedClient) {
        this.$delegates[member] ??= new Delegate(this.$scope);
        return this.$delegates[member];
      },
    });
  for (const [method, value] of Object.entries(ofRoot))
    Object.defineProperty(PreparedClient.prototype, method, { value });
  for (const method of ['$queryRaw', '$executeRaw'] as const)
    Object.defineProperty(PreparedClient.prototype, method, {
      value(this: PreparedClient, query: RawQuery, ...values: unknown[]) {
        return new LazyCall((scope) => calls.raw(method, query, values, scope), this.$scope);
      },
    });
  for (const method of PRISMA_METHODS)
    Object.defineProperty(TransactionClient.prototype, method, {
      value(this: PreparedClient, ...given: unknown[]) {
        const run = (client: object) =>
          (client as Record<string, (...given: unknown[]) => unknown>)[method]?.(...given);
        return new LazyCall((scope) => scope.prisma(run), this.$scope);
      },
    });
  for (const method of ROOT_METHODS) Object.defineProperty(TransactionClient.prototype, method, { value: undefined });
  Object.setPrototypeOf(PreparedClient.prototype, real);
  return (scope: CallScope): Client => {
    const client: object = scope.isTransaction ? new TransactionClient(scope) : new PreparedClient(scope);
    return client as Client;
  };
}

function delegateOf(model: Model, calls: Calls, prisma: AnyClient): new (scope: CallScope) => object {
  class Delegate {
    readonly scope: CallScope;
    constructor(scope: CallScope) {
      this.scope = scope;
    }
  }
  const define = (operation: string, start: (args: object | undefined, scope: CallScope) => Promise<unknown>) =>
    Object.defineProperty(Delegate.prototype, operation, {
      value(this: Delegate, args?: object) {
        return new LazyCall((scope) => start(args, scope), this.scope);
      },
    });
  for (const operation of OPERATIONS) define(operation, (args, scope) => calls.run({ model, operation, args }, scope));
  for (const operation of PRISMA_OPERATIONS)
    define(operation, (args, scope) => calls.fallBack({ model, operation, args }, scope, 'computed by Prisma'));
  Object.setPrototypeOf(Delegate.prototype, prisma[delegateName(model.name)] ?? null);
  return Delegate;
}

export interface Options extends Partial<TransactionLimits> {
  /** Runs single reads outside of transactions; the pool by default. */
  reads?: Connection;
  /** Applies to what Prisma reads, also in place of a plan. */
  adapt?: Adapt;
  /** The number of kept plans. */
  plans?: number;
  /** The number of prepared statements on each connection. */
  names?: number;
  /** The number of results of each plan that are compared with the results of Prisma. */
  verified?: number;
  /** The number of recordings per second. */
  recordings?: number;
}

interface TransactionOptions extends Partial<TransactionLimits> {
  isolationLevel?: string;
}

/** A transaction of `$begin()`. Its calls may be sent before it has a connection, and fail if it gets none. */
export interface ManualTransaction<Client> {
  readonly tx: Client;
  /** Rejects if PostgreSQL rolls back, for example after a failed statement. */
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
}

/** @param make `(adapter) => new PrismaClient({ adapter })` @param pool `pg.Pool`, which the caller closes */
export function preparedClient<Client extends object>(
  make: (adapter: SqlDriverAdapterFactory) => Client,
  pool: PoolLike,
  dataModel: DataModel,
  {
    reads,
    adapt = (query) => query,
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
  const joining = joiningAdapter(pool, (text) => names.repeated(text).name, adapt);
  const real = make(joining.factory);
  const prisma = real as unknown as AnyClient & { _clientVersion?: string };
  const clientVersion = prisma._clientVersion ?? '';
  const dry = dryRuns((adapter) => make(adapter) as unknown as AnyClient, adapt);
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
      leave: () => (prismaClient === undefined ? undefined : end()),
    };
    async function end(): Promise<void> {
      const results = await Promise.allSettled(running);
      leave?.();
      await ended;
      const failed = results.find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    }
  }

  function open(options: TransactionOptions = {}) {
    const limits = { maxWait: options.maxWait ?? maxWait, timeout: options.timeout ?? timeout };
    let transaction: OpenTransaction;
    const joined = joinable({ query: (statement, done) => transaction.query(statement, done) });
    transaction = openTransaction(pool, limits, options.isolationLevel, clientVersion, joined.leave);
    const scope = { connection: transaction, reads: transaction, isTransaction: true, prisma: joined.prisma };
    const commit = () =>
      transaction.commit().catch(async (error: unknown) => {
        throw await dry.transactionError(error, 'COMMIT');
      });
    return { transaction, scope, commit, rollback: () => transaction.rollback().catch(() => {}) };
  }

  async function inTransaction<T>(work: (scope: CallScope) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const { transaction, scope, commit, rollback } = open(options);
    await transaction.taken().catch(async (error: unknown) => {
      throw await dry.transactionError(error, 'connect');
    });
    let value: T;
    try {
      value = await work(scope);
    } catch (error) {
      await rollback();
      throw error;
    }
    await commit();
    return value;
  }

  function begin(options?: TransactionOptions): ManualTransaction<Client> {
    const { scope, commit, rollback } = open(options);
    return { tx: createClient(scope), commit, rollback };
  }

  function transact(work: unknown, options?: TransactionOptions): Promise<unknown> {
    if (typeof work === 'function') return inTransaction((scope) => work(createClient(scope)), options);
    const list = work as LazyCall[];
    if (!list.every((call) => call instanceof LazyCall))
      throw new Error('All elements of the array need to be Prisma Client promises. Calls of a transaction are none.');
    return inTransaction(async (scope) => {
      const values: unknown[] = [];
      for (const call of list) values.push(await LazyCall.startIn(call, scope));
      return values;
    }, options);
  }

  const delegates = delegatesOf(dataModel, calls, prisma);
  const createClient = clientFactory<Client>(delegates, calls, real, { $transaction: transact, $begin: begin });
  const client = createClient(outside);
  return Object.defineProperties(client, {
    $disconnect: { value: async () => void (await Promise.all([prisma.$disconnect(), dry.close()])) },
    [statistics]: { value: counts },
    [settled]: { value: plans.settled },
  });
}
