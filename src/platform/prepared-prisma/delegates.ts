/** The members of a client with the operations of a model: `db.user`. */
import type { CallPlace, Calls, RawQuery } from './calls.js';
import type { DataModel, Model } from './data-model.js';
import { type AnyClient, delegateName } from './recorder.js';

const OPERATIONS = [
  ...['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany', 'count'],
  ...['create', 'createMany', 'createManyAndReturn', 'update', 'updateMany', 'updateManyAndReturn'],
  ...['upsert', 'delete', 'deleteMany'],
];
/** Operations that only Prisma runs. */
const OTHERS = ['aggregate', 'groupBy'];

type Start = (place: CallPlace) => Promise<unknown>;
type Done<A> = ((value: unknown) => A | PromiseLike<A>) | null;
type Failed<B> = ((error: unknown) => B | PromiseLike<B>) | null;

/** A call that runs when it is awaited, as Prisma's promises do. */
export class Pending implements PromiseLike<unknown> {
  readonly #start: Start;
  readonly #place: CallPlace;
  #promise: Promise<unknown> | undefined;

  constructor(start: Start, place: CallPlace) {
    this.#start = start;
    this.#place = place;
  }

  static startIn(pending: Pending, place: CallPlace): Promise<unknown> {
    return pending.#start(place);
  }

  get [Symbol.toStringTag](): string {
    return 'PrismaPromise';
  }

  #run(): Promise<unknown> {
    this.#promise ??= this.#start(this.#place);
    return this.#promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a call runs it
  then<A = unknown, B = never>(done?: Done<A>, failed?: Failed<B>): Promise<A | B> {
    return this.#run().then(done, failed);
  }

  catch<B>(failed?: Failed<B>): Promise<unknown> {
    return this.#run().catch(failed);
  }

  finally(done?: (() => void) | null): Promise<unknown> {
    return this.#run().finally(done);
  }
}

type Delegates = ReadonlyMap<PropertyKey, new (place: CallPlace) => object>;

/** @param prisma has the other members, such as `db.user.fields` */
export const delegatesOf = (dataModel: DataModel, calls: Calls, prisma: AnyClient): Delegates =>
  new Map(Object.values(dataModel.models).map((model) => [delegateName(model.name), delegateOf(model, calls, prisma)]));

/** Methods that Prisma's client runs, also in a transaction. */
const OF_PRISMA = ['$transaction', '$queryRawUnsafe', '$executeRawUnsafe', '$queryRawTyped'];
/** Methods that the client of a transaction lacks. */
const OUTSIDE_ONLY = ['$connect', '$disconnect', '$on', '$use', '$extends'];

/** Returns a function that creates a client. Not a Proxy, because each transaction creates one. */
export function facadeOf<Client extends object>(delegates: Delegates, calls: Calls, real: Client) {
  class Facade {
    readonly place: CallPlace;
    readonly made: Record<PropertyKey, object> = {};
    constructor(place: CallPlace) {
      this.place = place;
    }
  }
  class TransactionFacade extends Facade {}
  for (const [member, Delegate] of delegates)
    Object.defineProperty(Facade.prototype, member, {
      get(this: Facade) {
        this.made[member] ??= new Delegate(this.place);
        return this.made[member];
      },
    });
  for (const method of ['$queryRaw', '$executeRaw'] as const)
    Object.defineProperty(Facade.prototype, method, {
      value(this: Facade, query: RawQuery, ...values: unknown[]) {
        return new Pending((place) => calls.raw(method, query, values, place), this.place);
      },
    });
  for (const method of OF_PRISMA)
    Object.defineProperty(TransactionFacade.prototype, method, {
      value(this: Facade, ...given: unknown[]) {
        const run = (client: object) =>
          (client as Record<string, (...given: unknown[]) => unknown>)[method]?.(...given);
        return new Pending((place) => place.prisma(run), this.place);
      },
    });
  for (const method of OUTSIDE_ONLY) Object.defineProperty(TransactionFacade.prototype, method, { value: undefined });
  Object.setPrototypeOf(Facade.prototype, real);
  return (place: CallPlace): Client => {
    const made: object = place.isTransaction ? new TransactionFacade(place) : new Facade(place);
    return made as Client;
  };
}

function delegateOf(model: Model, calls: Calls, prisma: AnyClient): new (place: CallPlace) => object {
  class Delegate {
    readonly place: CallPlace;
    constructor(place: CallPlace) {
      this.place = place;
    }
  }
  const define = (operation: string, start: (args: object | undefined, place: CallPlace) => Promise<unknown>) =>
    Object.defineProperty(Delegate.prototype, operation, {
      value(this: Delegate, args?: object) {
        return new Pending((place) => start(args, place), this.place);
      },
    });
  for (const operation of OPERATIONS) define(operation, (args, place) => calls.run({ model, operation, args }, place));
  for (const operation of OTHERS)
    define(operation, (args, place) => calls.fallBack({ model, operation, args }, place, 'computed by Prisma'));
  Object.setPrototypeOf(Delegate.prototype, prisma[delegateName(model.name)] ?? null);
  return Delegate;
}
