import type { Call, Policy } from '../calls/access.js';
import { type Issues, NO_ISSUES } from '../calls/issues.js';
import { batches, type ReadInBatch } from './batches.js';

/**
 * What a resolver gets besides its parent and arguments.
 * @typeParam Services those of the platform and of the application
 * @typeParam Rules the application's policy
 */
export interface GraphQLContext<Services = unknown, Rules extends Policy = Policy> {
  /** The call of the operation; of a field whose arguments are at fault one of its own, whose checkpoint knows what is wrong. */
  call: Call<Rules>;
  /** Makes the call of a field whose arguments have these faults. */
  callWith: (contentIssues: Issues) => Call<Rules>;
  services: Services;
  /** Reads below many parents at once. */
  batch: ReadInBatch<Call<Rules>>;
  /**
   * Aborted when a subscription is over: its client has completed it or gone, or may not go on. For what its source waits for,
   * since a generator hears that it is over (`return`) only when it goes on. Of other operations it is never aborted.
   */
  signal: AbortSignal;
}

const NEVER = new AbortController().signal;

/** The context of one operation, or of one event of a subscription, by whichever way it came. */
export const operationContext = (
  services: unknown,
  callWith: GraphQLContext['callWith'],
  signal: AbortSignal = NEVER,
): GraphQLContext => ({
  call: callWith(NO_ISSUES),
  callWith,
  services,
  batch: batches(),
  signal,
});
