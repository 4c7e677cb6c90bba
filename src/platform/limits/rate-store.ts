import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { SharedWindows } from './rate-shared.js';
import { slidingWindows } from './rate-window.js';

/** A key of the store: @fastify/rate-limit hands over nothing else, so what is to be spent at once stands in it. */
export const spending = (units: number, key: string): string => `${units} ${key}`;

/**
 * The store of @fastify/rate-limit: sliding windows, shared by all instances where there is a Redis that answers.
 * @param now milliseconds since the epoch, for the windows in memory
 */
export function rateStore(now: () => number, shared: SharedWindows | undefined): FastifyRateLimitStoreCtor {
  let made = 0;
  return class Store implements FastifyRateLimitStore {
    /** Every limiter counts for itself; they are made in the same order in each instance. */
    readonly #name = made++;
    readonly #own = slidingWindows(now);

    /** @param spent see `spending` */
    incr(spent: string, done: Parameters<FastifyRateLimitStore['incr']>[1], span = 0, limit = 0): void {
      const units = Number.parseInt(spent, 10);
      const key = spent.slice(spent.indexOf(' ') + 1);
      const count = async () =>
        (await shared?.count(`${this.#name}:${key}`, span, limit, units)) ?? this.#own(key, span, limit, units);
      count().then(
        (result) => done(null, result),
        (error: Error) => done(error),
      );
    }

    child(): FastifyRateLimitStore {
      return new Store();
    }
  };
}
