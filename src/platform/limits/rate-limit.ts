import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { networkOf } from '../accounts/networks.js';
import { andThen, type Soon } from '../calls/at-once.js';
import { Failure } from '../calls/errors.js';
import type { SharedWindows } from './rate-shared.js';
import { type Count, slidingWindows } from './rate-window.js';

const MINUTE = 60_000;
const ONE: Weight = { operations: 1, cost: 1 };

/** Where a caller stands. */
interface Rate {
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
    /** Set once the request has been counted for its caller. */
    rate: Rate | null;
    /** While it is being counted. */
    counting: Promise<Rate> | null;
    /** What it has been counted as for its address so far; null before the ceiling. */
    weight: Weight | null;
  }
  interface FastifyInstance {
    /**
     * Says what the request weighs, where that is not 1, before it is counted for its caller. Its address spends the
     * rest at once.
     * @throws Failure RATE_LIMITED beyond the ceiling
     */
    weighRequest: (request: FastifyRequest, weight: Weight) => Soon<void>;
    /** Counts the request for its caller, once however often it is called. Refuses nothing. */
    countRequest: (request: FastifyRequest) => Soon<Rate>;
  }
}

interface RateLimitOptions {
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
    /** Where all instances count together, or this one does for itself. @param whose of which windows a key is one */
    function counter(whose: string) {
      const own = slidingWindows(now);
      return (key: string, most: number, units: number): Soon<Rate> => {
        const alone = () => rateOf(most, own(key, MINUTE, most, units));
        const together = shared?.count(`${whose}:${key}`, MINUTE, most, units);
        return together ? together.then((count) => (count ? rateOf(most, count) : alone())) : alone();
      };
    }
    const callers = counter('callers');
    const addresses = counter('addresses');

    app.decorateRequest('rate', null);
    app.decorateRequest('counting', null);
    app.decorateRequest('weight', null);

    function countCaller({ actor, ip, weight }: FastifyRequest): Soon<Rate> {
      const { operations, cost } = weight ?? ONE;
      return actor
        ? callers(`user ${actor.id}`, limit, operations)
        : callers(`address ${networkOf(ip)}`, anonymous, cost);
    }
    async function countLater(request: FastifyRequest): Promise<Rate> {
      // What fails before it is asked who calls (404, 308, 405), or asks nobody, counts for its caller all the same.
      if (!request.actor) await app.identify(request);
      request.rate = await countCaller(request);
      return request.rate;
    }
    app.decorate('countRequest', (request: FastifyRequest) => {
      if (request.rate) return request.rate;
      if (request.counting) return request.counting;
      if (!request.actor || shared) {
        request.counting = countLater(request);
        return request.counting;
      }
      request.rate = countCaller(request) as Rate;
      return request.rate;
    });

    app.decorate('weighRequest', (request: FastifyRequest, weight: Weight) => {
      const due = weight.cost - (request.weight?.cost ?? 0);
      request.weight = weight;
      if (due === 0) return;
      const rate = addresses(networkOf(request.ip), ceiling, due);
      return andThen(rate, (one) => refuseBeyond(request, one));
    });
    function refuseBeyond(request: FastifyRequest, rate: Rate): void {
      if (!rate.exceeded) return;
      request.rate = rate;
      throw tooMany(rate);
    }
    app.stage('ceiling', (request) => (isCounted(request) ? app.weighRequest(request, ONE) : undefined));

    const tell = (reply: FastifyReply, { limit, remaining, ttl }: Rate) =>
      void reply.headers({
        'x-rate-limit-limit': limit,
        'x-rate-limit-remaining': remaining,
        'x-rate-limit-reset': Math.ceil((now() + ttl) / 1000),
      });
    app.stage('rate-headers', (request, reply) => {
      if (!isCounted(request)) return;
      const rate = app.countRequest(request);
      return andThen(rate, (one) => tell(reply, one));
    });
  },
  { name: 'rate-limit', dependencies: ['pipeline', 'route', 'authenticate'] },
);

const rateOf = (limit: number, { current, ttl }: Count): Rate => ({
  limit,
  remaining: Math.max(0, limit - current),
  exceeded: current > limit,
  ttl,
});

/** Docs, published contracts and health are not counted; their routes say so in their configuration. */
const isCounted = ({ route }: FastifyRequest): boolean => route.counted !== false;

/** @throws Failure RATE_LIMITED when the caller has used up its requests */
export function refuseExcess(rate: Rate): void {
  if (rate.exceeded) throw tooMany(rate);
}

const tooMany = ({ limit, ttl }: Rate) =>
  new Failure('RATE_LIMITED', `More than ${limit} requests in a minute.`, {
    retryAfter: Math.max(1, Math.ceil(ttl / 1000)),
  });
