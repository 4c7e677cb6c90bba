import { BulkheadRejectedError, bulkhead, ConsecutiveBreaker, circuitBreaker, handleWhen, wrap } from 'cockatiel';
import type { Dependency } from '../../database/outages.js';
import { BOUNDS } from '../bounds.js';
import { Failure, RETRY_AFTER_S } from './errors.js';

/** Limits a call with its time in the queue. Shorter than the handler timeout, so that the error names the service. */
const CALL_TIMEOUT_MS = 8_000;
const BREAK_AFTER_FAILURES = 5;
const HALF_OPEN_AFTER_MS = 5_000;

export interface OutsideOptions {
  /** Returns true for a result that counts as a failure of the service. */
  isFault?: (result: unknown) => boolean;
  /** Milliseconds until a service that failed is called again. */
  openFor?: number;
}

/** A limit of calls that run and wait, and a circuit breaker, for one service. A Failure and an aborted call do not open it. */
function callPolicy({ isFault = () => false, openFor = HALF_OPEN_AFTER_MS }: OutsideOptions = {}) {
  const slots = bulkhead(BOUNDS.outsideCalls.value, BOUNDS.outsideWaiting.value);
  const isOwn = (error: Error) => error instanceof Failure || error.name === 'AbortError';
  const faults = handleWhen((error) => !isOwn(error)).orWhenResult(isFault);
  const breaker = new ConsecutiveBreaker(BREAK_AFTER_FAILURES);
  return wrap(slots, circuitBreaker(faults, { halfOpenAfter: openFor, breaker }));
}

/** A fault of the service, which counts for its circuit breaker. */
export class ResponseTooLarge extends Error {
  override name = 'AnswerTooLarge';
}

/** Fetches within the bounds of a call. */
export type BoundedFetch = (address: string | URL, init?: RequestInit) => Promise<OutsideResponse>;

/**
 * Follows no redirect, which would send credentials and bodies elsewhere.
 * @param signal ends the request, also while the body arrives
 * @throws AnswerTooLarge for a body of more than `limit` bytes, decompressed, and closes the connection
 */
async function fetchBounded(address: string | URL, init: RequestInit, signal: AbortSignal, limit: number) {
  const ending = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
  const response = await fetch(address, { ...init, redirect: 'manual', signal: ending });
  return { status: response.status, headers: response.headers, bytes: await readBody(response, limit) };
}

/** Returns the client of a service that an application calls. A service that hangs delays its own callers only. */
export function outsideService(name: string, dependency: Dependency, options: OutsideOptions = {}) {
  const policy = callPolicy(options);
  const tooMany = (cause: unknown) =>
    new Failure('UNAVAILABLE', `${name} has too many calls at once. Try again in ${RETRY_AFTER_S} seconds.`, { cause });

  return {
    /**
     * @param work gets a signal that aborts after 8 seconds, including the time in the queue, or with `signal`; and a `fetch`
     *   that ends with it, follows no redirect, and rejects with AnswerTooLarge beyond 1 MiB
     * @throws Failure UNAVAILABLE without a call if too many run or wait; BrokenCircuitError without a call;
     *   TimeoutError; the reason of `signal`; errors of `work`
     */
    call<T>(work: (signal: AbortSignal, fetch: BoundedFetch) => Promise<T>, signal?: AbortSignal): Promise<T> {
      const ending = AbortSignal.any([AbortSignal.timeout(CALL_TIMEOUT_MS), ...(signal ? [signal] : [])]);
      const ended = new Promise<never>((_resolve, reject) =>
        ending.addEventListener('abort', () => reject(ending.reason), { once: true }),
      );
      ended.catch(() => {});
      const fetchInTime: BoundedFetch = (address, init = {}) =>
        fetchBounded(address, init, ending, BOUNDS.outsideResponse.value);
      const called = async (): Promise<T> => {
        try {
          if (ending.aborted) throw tooMany(ending.reason);
          const result = await Promise.race([work(ending, fetchInTime), ended]);
          if (options.isFault?.(result)) dependency.away('its answers are failures');
          else dependency.back();
          return result;
        } catch (error) {
          if (!(error instanceof Failure || signal?.aborted)) dependency.away((error as Error).message);
          throw error;
        }
      };
      return policy.execute(called).catch((error: unknown) => {
        throw error instanceof BulkheadRejectedError ? tooMany(error) : error;
      });
    },
  };
}

export type OutsideService = ReturnType<typeof outsideService>;

interface OutsideResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

async function readBody({ body }: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limit) throw new ResponseTooLarge(`an answer of more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
