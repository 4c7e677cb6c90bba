import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import type { SharedWindows } from './rate-shared.js';
import { rateStore, spending } from './rate-store.js';

const MINUTE = 60_000;
const ONE: Weight = { operations: 1, cost: 1 };

/** Where a caller stands. */
export interface Rate {
  limit: number;
  remaining: number;
  exceeded: boolean;
  /** Milliseconds until the oldest counted request leaves the sliding window. */
  ttl: number;
}

/** What a request is counted as. */
export interface Weight {
  /** How often it counts for a caller who is known. */
  operations: number;
  /** How often for an address: what it costs to look at it, before anybody is known. */
  cost: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request has been counted. */
    rate: Rate | null;
  }
  interface FastifyInstance {
    /**
     * Says what the request weighs, where that is not 1, before it is counted for its caller. Its address spends the
     * rest at once.
     * @throws Failure RATE_LIMITED beyond the ceiling
     */
    weighRequest: (request: FastifyRequest, weight: Weight) => Promise<void>;
    /** Counts the request for its caller, once however often it is called. Refuses nothing. */
    countRequest: (request: FastifyRequest) => Promise<Rate>;
  }
}

export interface RateLimitOptions {
  /** Requests a minute of an authenticated caller, of an anonymous address, and of any address at all. */
  limit: number;
  anonymous: number;
  ceiling: number;
  now: () => number;
  /** Where all instances count together; undefined for one instance. */
  shared: SharedWindows | undefined;
}

/**
 * Counts every request for its caller and says in the `X-Rate-Limit-*` headers where the caller stands. The refusal comes
 * in its place in the order of failures (`refuseExcess`); only the ceiling per address is decided before anything else.
 */
export const rateLimitPlugin = fp<RateLimitOptions>(
  async (app, { limit, anonymous, ceiling, now, shared }) => {
    await app.register(rateLimit, { global: false, store: rateStore(now, shared) });
    const weights = new WeakMap<FastifyRequest, Weight>();
    const callers = app.createRateLimit({
      timeWindow: MINUTE,
      max: (request: FastifyRequest) => (request.actor ? limit : anonymous),
      keyGenerator: (request: FastifyRequest) => {
        const { operations, cost } = weights.get(request) ?? ONE;
        const { actor, ip } = request;
        return actor ? spending(operations, `user ${actor.id}`) : spending(cost, `address ${normalizeIP(ip)}`);
      },
    });
    const owed = new WeakMap<FastifyRequest, number>();
    const addresses = app.createRateLimit({
      timeWindow: MINUTE,
      max: ceiling,
      keyGenerator: (request: FastifyRequest) => spending(owed.get(request) ?? 1, normalizeIP(request.ip)),
    });

    async function count(limiter: typeof callers, request: FastifyRequest): Promise<Rate> {
      const { max, remaining, isExceeded, ttl } = (await limiter(request)) as Extract<
        Awaited<ReturnType<typeof limiter>>,
        { isAllowed: false }
      >;
      return { limit: max, remaining, exceeded: isExceeded, ttl };
    }

    const counting = new WeakMap<FastifyRequest, Promise<Rate>>();
    const countOnce = async (request: FastifyRequest): Promise<Rate> => {
      // What fails before it is asked who calls (404, 308, 405), or asks nobody, counts for its caller all the same.
      if (!request.actor) await app.identify(request);
      request.rate = await count(callers, request);
      return request.rate;
    };
    app.decorateRequest('rate', null);
    app.decorate('countRequest', (request: FastifyRequest) => {
      const known = counting.get(request) ?? countOnce(request);
      counting.set(request, known);
      return known;
    });

    app.decorate('weighRequest', async (request: FastifyRequest, weight: Weight) => {
      const due = weight.cost - (weights.get(request)?.cost ?? 0);
      weights.set(request, weight);
      if (due === 0) return;
      owed.set(request, due);
      const rate = await count(addresses, request);
      if (!rate.exceeded) return;
      counting.set(request, Promise.resolve(rate));
      request.rate = rate;
      throw tooMany(rate);
    });
    app.stage('ceiling', async (request) => {
      if (isCounted(request)) await app.weighRequest(request, ONE);
    });

    app.stage('rate-headers', async (request, reply) => {
      if (!isCounted(request)) return;
      const rate = await app.countRequest(request);
      reply.headers({
        'x-rate-limit-limit': rate.limit,
        'x-rate-limit-remaining': rate.remaining,
        'x-rate-limit-reset': Math.ceil((now() + rate.ttl) / 1000),
      });
    });
  },
  { name: 'rate-limit', dependencies: ['pipeline', 'authenticate'] },
);

/** Docs, published contracts and health are not counted; their routes say so in their configuration. */
const isCounted = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.counted !== false;

/** @throws Failure RATE_LIMITED when the caller has used up its requests */
export function refuseExcess(rate: Rate): void {
  if (rate.exceeded) throw tooMany(rate);
}

const tooMany = ({ limit, ttl }: Rate) =>
  new Failure('RATE_LIMITED', `More than ${limit} requests in a minute.`, {
    retryAfter: Math.max(1, Math.ceil(ttl / 1000)),
  });
