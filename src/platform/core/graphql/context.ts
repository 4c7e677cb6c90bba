import DataLoader from 'dataloader';
import type { FastifyRequest } from 'fastify';
import { authenticated, type Call, type Policy } from '../calls/access.js';
import { type Issues, NO_ISSUES } from '../calls/errors.js';
import { NEVER_ABORTED } from '../calls/schedulers.js';
import type { ServedServices } from '../http/call.js';
import { callLog } from '../operations/call-transaction.js';
import { guardedClient, type OperationServices, refuseToWrite } from '../operations/guarded-client.js';
import type { Db } from '../operations/model.js';

/** The key of the execution in a context. A WeakMap would keep both alive until a full garbage collection. */
export const RUNNING = Symbol('running');

/**
 * The context of a resolver.
 * @typeParam Services the services of the platform and of the application
 * @typeParam Rules the application's policy
 * @example
 * export type GraphQLContext = PlatformGraphQLContext<HandlerServices & OwnServices, typeof policy>;
 */
export interface GraphQLContext<Services = unknown, Rules extends Policy = Policy> {
  /** The Prisma client of the caller. Below the root it only reads. */
  readonly db: Db;
  services: Services;
  batch: BatchRead;
  /**
   * Aborted when a subscription ends, never for other operations. A waiting source needs it, because a generator
   * notices its end (`return`) only when it continues.
   */
  signal: AbortSignal;
  /** The call of the operation. `enforce` throws if the arguments of the field are invalid. */
  call: Call<Rules>;
  /** Returns a call whose `enforce` also reports these issues. */
  callWith: (contentIssues: Issues) => Call<Rules>;
  readonly operations: OperationServices;
  readonly fields?: Set<string>;
  [RUNNING]?: object;
}

/**
 * Reads one row. Reads with one key and call in one turn are batched, after one `call.enforce`. No result is
 * cached, because mutations change rows.
 * @param key identifies a field; one key always has the same `read`
 * @returns undefined for a row that `read` omits
 */
type BatchRead = <Value>(
  call: Call,
  key: unknown,
  id: number,
  read: (call: Call, ids: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
) => Promise<Value | undefined>;

function batchReader(): BatchRead {
  const loaders = new Map<Call, Map<unknown, DataLoader<number, unknown>>>();
  return <Value>(...[call, key, id, read]: Parameters<BatchRead>) => {
    const ofCall = loaders.get(call) ?? new Map<unknown, DataLoader<number, unknown>>();
    loaders.set(call, ofCall);
    const loader =
      ofCall.get(key) ??
      new DataLoader<number, unknown>(
        async (ids) => {
          await call.enforce();
          const values = await read(call, [...new Set(ids)]);
          return ids.map((id) => values.get(id));
        },
        { cache: false },
      );
    ofCall.set(key, loader);
    return loader.load(id) as Promise<Value | undefined>;
  };
}

export function operationContext(
  { handlers, operations }: { readonly handlers: unknown; readonly operations: OperationServices },
  callWith: GraphQLContext['callWith'],
  signal: AbortSignal = NEVER_ABORTED,
): GraphQLContext {
  return new OperationContext(handlers, operations, callWith, signal);
}

/** A class, because V8 makes a dictionary of each literal with a getter. */
class OperationContext implements GraphQLContext {
  readonly services: unknown;
  readonly operations: OperationServices;
  readonly callWith: GraphQLContext['callWith'];
  readonly signal: AbortSignal;
  readonly call: Call;
  readonly batch = batchReader();
  fields?: Set<string>;
  [RUNNING]?: object;
  declare readonly db: Db;
  client: Db | undefined;

  constructor(
    services: unknown,
    operations: OperationServices,
    callWith: GraphQLContext['callWith'],
    signal: AbortSignal,
  ) {
    this.services = services;
    this.operations = operations;
    this.callWith = callWith;
    this.signal = signal;
    this.call = callWith(NO_ISSUES);
    Object.defineProperty(this, 'db', OWN_CLIENT);
  }
}

/** A member of each context, so that a copy has it: `{ ...context }`. V8 shares hidden classes for one function. */
const OWN_CLIENT: PropertyDescriptor & ThisType<OperationContext> = {
  enumerable: true,
  get() {
    this.client ??= readingClient(this.operations, this.call);
    return this.client;
  },
};

interface ContextOptions {
  /** Makes `call.enforce` reject with its reason. */
  ended?: AbortSignal;
  signal?: AbortSignal;
}

/** Returns the context of one execution. */
export function contextOf(
  request: FastifyRequest,
  services: ServedServices,
  { ended, signal }: ContextOptions = {},
): GraphQLContext {
  const callWith: GraphQLContext['callWith'] = (issues) => {
    const call = services.callOf(request, () => issues);
    return ended ? { ...call, enforce: () => call.enforce().then(() => ended.throwIfAborted()) } : call;
  };
  request.fields ??= new Set();
  return Object.assign(operationContext(services, callWith, signal), { fields: request.fields });
}

/** Returns a client that reads the rows that the caller may read. */
function readingClient(services: OperationServices, call: Call): Db {
  const { client } = services;
  return guardedClient(
    services.models,
    services.streams,
    {
      call,
      action: '',
      actor: () => authenticated(call),
      reader: async () => client,
      transaction: refuseToWrite,
      ahead: refuseToWrite,
      onCommit: refuseToWrite,
    },
    callLog('The operation', false),
  );
}
