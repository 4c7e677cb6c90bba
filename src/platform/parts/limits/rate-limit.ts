import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { BOUNDS } from '../../core/bounds.js';
import { Failure } from '../../core/calls/errors.js';
import { networkOf } from '../../core/calls/networks.js';
import { andThen, type MaybePromise } from '../../core/calls/schedulers.js';
import { callerOf } from '../../core/http/call.js';
import type { Rate } from '../../core/part.js';
import type { RouteConfig, StagesOf, Weight } from '../../core/stages.js';

const MINUTE_MS = 60_000;
export const STEPS = 60;
/** Callers in memory, with 60 32-bit counters each. The least recently used is removed first. */
const MAX_CALLERS = 10_000;
const ONE: Weight = { operations: 1, cost: 1 };

export interface Count {
  /** Units in the window, including new ones; above the limit if those are rejected. */
  current: number;
  /** Milliseconds until the oldest units leave the window. */
  ttl: number;
}

export interface SharedWindows {
  /** Resolves to undefined without Redis. Then each instance counts by itself. */
  count: (key: string, span: number, limit: number, units?: number) => Promise<Count | undefined>;
  isReachable: () => Promise<boolean>;
  close: () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    rate: Rate | null;
    counting: Promise<Rate> | null;
    /** The units counted for the address; null before the stage `ceiling`. */
    weight: Weight | null;
  }
}

export interface RateLimitOptions {
  /** Requests a minute of an authenticated caller, an anonymous address, and any address. */
  limit: number;
  anonymous: number;
  ceiling: number;
  now: () => number;
  shared: SharedWindows | undefined;
}

/**
 * Counts requests by caller, and sets the `X-Rate-Limit-*` headers. Only the ceiling of an address rejects here:
 * `refuseExcess` rejects other requests later, in the order of failures.
 */
export function rateStages(app: FastifyInstance, { limit, anonymous, ceiling, now, shared }: RateLimitOptions) {
  function counter(kind: string) {
    const own = slidingWindows(now);
    return (key: string, maximum: number, units: number): MaybePromise<Rate> => {
      const countHere = () => rateOf(maximum, own(key, MINUTE_MS, maximum, units));
      const sharedCount = shared?.count(`${kind}:${key}`, MINUTE_MS, maximum, units);
      return sharedCount ? sharedCount.then((count) => (count ? rateOf(maximum, count) : countHere())) : countHere();
    };
  }
  const callers = counter('callers');
  const addresses = counter('addresses');

  app.decorateRequest('rate', null);
  app.decorateRequest('counting', null);
  app.decorateRequest('weight', null);

  function countCaller(request: FastifyRequest): MaybePromise<Rate> {
    const { operations, cost } = request.weight ?? ONE;
    return request.actor ? callers(callerOf(request), limit, operations) : callers(callerOf(request), anonymous, cost);
  }
  async function countLater(request: FastifyRequest): Promise<Rate> {
    // Requests that fail before authentication (404, 308, 405), or need none, count for their caller too.
    // The answer at the time limit does not wait for a password hash.
    if (!request.actor && !request.isOver) await app.core.identify(request);
    request.rate = await countCaller(request);
    return request.rate;
  }
  function count(request: FastifyRequest): MaybePromise<Rate> {
    if (request.rate) return request.rate;
    if (request.counting) return request.counting;
    if (!request.actor || shared) {
      request.counting = countLater(request);
      return request.counting;
    }
    request.rate = countCaller(request) as Rate;
    return request.rate;
  }

  /** Sets a weight other than 1 before the request is counted for its caller, and counts the difference for the address. */
  function weigh(request: FastifyRequest, weight: Weight): MaybePromise<void> {
    const difference = weight.cost - (request.weight?.cost ?? 0);
    request.weight = weight;
    if (difference === 0) return;
    const rate = addresses(networkOf(request.address), ceiling, difference);
    return andThen(rate, (rate) => {
      if (rate.exceeded) request.rate = rate;
      refuseExcess(rate);
    });
  }

  const setHeaders = (reply: FastifyReply, { limit, remaining, ttl }: Rate) =>
    void reply.headers({
      'x-rate-limit-limit': limit,
      'x-rate-limit-remaining': remaining,
      'x-rate-limit-reset': Math.ceil((now() + ttl) / 1000),
    });
  const refuseAbove = (request: FastifyRequest) => andThen(count(request), refuseExcess);
  const stages = {
    ceiling: (route) => (isCounted(route) ? (request) => weigh(request, ONE) as Promise<void> : undefined),
    weight:
      () =>
      ({ request, weight }) =>
        weigh(request, weight),
    rate:
      () =>
      ({ request }) =>
        refuseAbove(request),
    'rate-headers': (route) =>
      isCounted(route)
        ? (request, reply) =>
            andThen(count(request), (rate) => {
              if (rate.exceeded) countRefusal(request.raw, reply.raw);
              setHeaders(reply, rate);
            }) as Promise<void>
        : undefined,
  } satisfies Partial<StagesOf<'limits'>>;
  return { stages, count, refuseExcess: refuseAbove };
}

const rateOf = (limit: number, { current, ttl }: Count): Rate => ({
  limit,
  remaining: Math.max(0, limit - current),
  exceeded: current > limit,
  ttl,
});

/** Returns false for routes that are excluded by their configuration: docs, published contracts and health. */
const isCounted = ({ counted }: RouteConfig): boolean => counted !== false;

/** @throws Failure RATE_LIMITED if the caller has no requests left */
function refuseExcess({ exceeded, limit, ttl }: Rate): void {
  if (!exceeded) return;
  const retryAfter = Math.max(1, Math.ceil(ttl / 1000));
  throw new Failure('RATE_LIMITED', `At most ${limit} requests a minute. Try again in ${retryAfter} seconds.`, {
    retryAfter,
  });
}

interface Window {
  /** Units by step, at the index of the step modulo STEPS. */
  counts: Uint32Array;
  total: number;
  last: number;
}

/**
 * Counts in a sliding window for each key, in memory. Rejected units are not counted, so that a caller who waits for
 * `ttl` is served.
 * @param now milliseconds since the epoch
 */
export function slidingWindows(now: () => number) {
  const windows = new LRUCache<string, Window>({ max: MAX_CALLERS });
  function open(key: string, step: number): Window {
    const window = { counts: new Uint32Array(STEPS), total: 0, last: step };
    windows.set(key, window);
    return window;
  }

  /** @param span of the window, in milliseconds @param units counted as far as the limit allows */
  return (key: string, span: number, limit: number, units = 1): Count => {
    const step = span / STEPS;
    const time = now();
    const present = Math.floor(time / step);
    const window = windows.get(key) ?? open(key, present);
    clearOldSteps(window, present);
    const current = window.total + units;
    const counted = Math.min(units, Math.max(0, limit - window.total));
    window.counts[window.last % STEPS] = (window.counts[window.last % STEPS] as number) + counted;
    window.total += counted;
    return { current, ttl: Math.ceil((oldestStep(window) + STEPS) * step - time) };
  };
}

/** Clears the steps that left the window, or all steps if the clock was set back. */
function clearOldSteps(window: Window, present: number): void {
  if (present - window.last >= STEPS || present < window.last - 1) {
    window.counts.fill(0);
    window.total = 0;
    window.last = present;
  }
  for (; window.last < present; window.last++) {
    const step = (window.last + 1) % STEPS;
    window.total -= window.counts[step] as number;
    window.counts[step] = 0;
  }
}

function oldestStep({ counts, last }: Window): number {
  for (let step = last - STEPS + 1; step < last; step++) if (counts[step % STEPS]) return step;
  return last;
}

const REFUSALS = Symbol('refusals');
type CountedSocket = Socket & { [REFUSALS]?: number };

/**
 * Counts a refusal for the rate or the load before its answer is sent. The last one ends the connection, because a pipeline of
 * requests would go on.
 */
export function countRefusal({ socket }: IncomingMessage, response: ServerResponse): void {
  const counted = socket as CountedSocket;
  counted[REFUSALS] = (counted[REFUSALS] ?? 0) + 1;
  if (isAfterEnd({ socket })) response.shouldKeepAlive = false;
}

/** Returns true for a request after the last answer of its connection. Nobody answers it. */
export const isAfterEnd = ({ socket }: Pick<IncomingMessage, 'socket'>): boolean =>
  ((socket as CountedSocket)[REFUSALS] ?? 0) >= BOUNDS.refusals.value;
