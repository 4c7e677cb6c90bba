import type { Call, Policy } from '../calls/access.js';
import { type Issues, NO_ISSUES } from '../calls/issues.js';
import type { OperationServices } from '../operations/guarded-client.js';
import { readingClient } from '../operations/guarded-client.js';
import type { Db } from '../operations/model.js';
import { batches, type ReadInBatch } from './batches.js';

/**
 * What a resolver of a field below the root receives besides its parent and arguments.
 * @typeParam Services those of the platform and of the application
 * @typeParam Rules the application's policy
 * @example
 * export type GraphQLContext = PlatformGraphQLContext<HandlerServices & OwnServices, typeof policy>;
 */
export interface GraphQLContext<Services = unknown, Rules extends Policy = Policy> {
  /** The Prisma client of the caller. Below the root it only reads. */
  readonly db: Db;
  services: Services;
  /** Reads below many parents at once. */
  batch: ReadInBatch;
  /**
   * Aborted when a subscription ends: its client has completed it or gone, or may not continue. For sources that wait, because a
   * generator hears of its end (`return`) only when it goes on. Never aborted for other operations.
   */
  signal: AbortSignal;
  /** The call of the operation; of a field with wrong arguments a call of its own, whose checkpoint knows what is wrong. */
  call: Call<Rules>;
  /** Makes the call of a field whose arguments have these faults. */
  callWith: (contentIssues: Issues) => Call<Rules>;
  /** What routes and relations are read with. */
  readonly operations: OperationServices;
}

const NEVER = new AbortController().signal;

/** Makes the context of one operation, or of one event of a subscription, by whichever transport it came. */
export function operationContext(
  { handlers, operations }: { readonly handlers: unknown; readonly operations: OperationServices },
  callWith: GraphQLContext['callWith'],
  signal: AbortSignal = NEVER,
): GraphQLContext {
  const call = callWith(NO_ISSUES);
  let db: Db | undefined;
  return {
    get db() {
      db ??= readingClient(operations, call);
      return db;
    },
    call,
    callWith,
    services: handlers,
    operations,
    batch: batches(),
    signal,
  };
}
