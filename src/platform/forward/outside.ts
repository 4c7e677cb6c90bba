import {
  BulkheadRejectedError,
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import { BOUNDS } from '../bounds.js';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import type { Dependency } from '../database/outages.js';

/** Limits a call and its wait in the queue. Shorter than the handler timeout, so that the error names the service. */
export const CALL_TIMEOUT_MS = 8_000;
const BREAK_AFTER_FAILURES = 5;
const HALF_OPEN_AFTER_MS = 5_000;

export interface OutsideOptions {
  /** Returns true for a result that counts as a failure of the service. */
  isFault?: (result: unknown) => boolean;
  /** Milliseconds until a service that failed is called again. */
  openFor?: number;
}

/** A limit of calls that run and wait, and a circuit breaker, for one service. A Failure does not open the circuit. */
export function callPolicy({ isFault = () => false, openFor = HALF_OPEN_AFTER_MS }: OutsideOptions = {}) {
  const slots = bulkhead(BOUNDS.upstreamCalls.value, BOUNDS.upstreamWaiting.value);
  const faults = handleWhen((error) => !(error instanceof Failure)).orWhenResult(isFault);
  const breaker = new ConsecutiveBreaker(BREAK_AFTER_FAILURES);
  return wrap(slots, circuitBreaker(faults, { halfOpenAfter: openFor, breaker }));
}

/** Returns the client of a service that an application calls. A service that hangs delays its own callers only. */
export function outsideService(name: string, dependency: Dependency, options: OutsideOptions = {}) {
  const policy = callPolicy(options);
  const inTime = timeout(CALL_TIMEOUT_MS, TimeoutStrategy.Aggressive);
  const tooMany = (cause: unknown) =>
    new Failure('UNAVAILABLE', `${name} has too many calls at once. Try again in ${RETRY_AFTER_S} seconds.`, {
      retryAfter: RETRY_AFTER_S,
      cause,
    });

  return {
    /**
     * @param work gets a signal that ends the call after 8 seconds
     * @throws Failure UNAVAILABLE without a call if too many run or wait; BrokenCircuitError without a call;
     *   TaskCancelledError; errors of `work`
     */
    call<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      const called = async (): Promise<T> => {
        try {
          const result = await inTime.execute((context) => work(context.signal), signal);
          if (options.isFault?.(result)) dependency.away('its answers are failures');
          else dependency.back();
          return result;
        } catch (error) {
          if (!(error instanceof Failure || signal?.aborted)) dependency.away((error as Error).message);
          throw error;
        }
      };
      return policy.execute(called, signal).catch((error: unknown) => {
        throw error instanceof BulkheadRejectedError ? tooMany(error) : error;
      });
    },
  };
}

export type OutsideService = ReturnType<typeof outsideService>;
