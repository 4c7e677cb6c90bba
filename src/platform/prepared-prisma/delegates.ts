/** The members of a client with the operations of a model: `db.user`. */
import type { CallScope, Calls, RawQuery } from './calls.js';
import type { DataModel, Model } from './data-model.js';
import { type AnyClient, delegateName } from './recorder.js';

const OPERATIONS = [
  ...['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany', 'count'],
  ...['create', 'createMany', 'createManyAndReturn', 'update', 'updateMany', 'updateManyAndReturn'],
  ...['upsert', 'delete', 'deleteMany'],
];
/** Operations that only Prisma runs. */
const PRISMA_OPERATIONS = ['aggregate', 'groupBy'];

type Start = (scope: CallScope) => Promise<unknown>;
type OnFulfilled<A> = ((value: unknown) => A | PromiseLike<A>) | null;
type OnRejected<B> = ((error: unknown) => B | PromiseLike<B>) | null;

/** A call that runs when it is awaited, as Prisma's promises do. */
export class LazyCall implements PromiseLike<unknown> {
  readonly #start: Start;
  readonly #scope: CallScope;
  #promise: Promise<unknown> | undefined;

  constructor(start: Start, scope: CallScope) {
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
    this.#promise ??= this.#start(this.#scope);
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
export const delegatesOf = (dataModel: DataModel, calls: Calls, prisma: AnyClient): Delegates =>
  new Map(Object.values(dataModel.models).map((model) => [delegateName(model.name), delegateOf(model, calls, prisma)]));

/** Methods that Prisma's client runs, also in a transaction. */
const PRISMA_METHODS = ['$transaction', '$queryRawUnsafe', '$executeRawUnsafe', '$queryRawTyped'];
/** Methods that the client of a transaction lacks. */
const ROOT_METHODS = ['$connect', '$disconnect', '$on', '$use', '$extends'];

export interface ScopedClient {
  readonly $scope?: CallScope;
}

/** Returns a function that creates a client. Not a Proxy, because each transaction creates one. */
export function clientFactory<Client extends object>(
  delegates: Delegates,
  calls: Calls,
  real: Client,
  transact: (scope: CallScope, work: unknown, options?: object) => Promise<unknown>,
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
  Object.defineProperty(PreparedClient.prototype, '$transaction', {
    value(this: PreparedClient, work: unknown, options?: object) {
      return transact(this.$scope, work, options);
    },
  });
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
