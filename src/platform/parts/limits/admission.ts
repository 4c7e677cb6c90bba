/** Admits requests to the places of running requests, by a queue. @module */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BOUNDS } from '../../core/bounds.js';
import { Failure } from '../../core/calls/errors.js';
import { fairQueue, prefixesOf } from '../../core/calls/fair-queue.js';
import { type addressReader, networkOf } from '../../core/calls/networks.js';
import { listeners } from '../../core/calls/schedulers.js';
import type { RestOperation } from '../../core/contract/openapi.js';
import { hasBody, isPreflight, isUpgrade, pathOf } from '../../core/http/headers.js';
import type { StagesOf } from '../../core/stages.js';
import { countRefusal, isAfterEnd } from './rate-limit.js';
import { refuseRequest } from './refused-request.js';

export const ADMISSION = {
  /** Concurrent requests and operations. More than password hashing allows to wait, so that logins cannot use all places. */
  underWay: BOUNDS.requestsUnderWay.value,
  waiting: BOUNDS.requestsWaiting.value,
  /** Milliseconds that a request may wait after the queue was empty: a burst. */
  burst: 500,
  /** Milliseconds that a request may wait if the queue was not empty for `burst`. */
  sustained: 250,
};

export type AdmissionLimits = typeof ADMISSION;

/** Seconds until the next attempt, plus a random part, so that clients do not return together. */
const RETRY_AFTER_S = 1;
const RETRY_JITTER_S = 4;
const OVERLOADED_MS = 1000;

interface WaitingRequest {
  path: string[];
  admit: () => void;
  giveUp: () => void;
}

const STAY = () => {};

/**
 * Limits concurrent requests, and rejects waiting ones by their waiting time: controlled delay (Nichols and Jacobson,
 * "Controlling Queue Delay", ACM Queue 10:5, 2012; Maurer, "Fail at Scale", ACM Queue 13:8, 2015). Networks take turns.
 */
export function admission(
  { underWay: limit, waiting, burst, sustained }: AdmissionLimits,
  addressOf: ReturnType<typeof addressReader>,
) {
  const queue = fairQueue<WaitingRequest>(waiting);
  let underWay = 0;
  let emptyAt = performance.now();
  let shed = 0;
  let overloadedAt = Number.NEGATIVE_INFINITY;

  const isSustained = () => performance.now() - emptyAt > burst;

  function refusal(): Failure {
    shed += 1;
    if (queue.size() > 0 && (isSustained() || queue.size() >= waiting)) overloadedAt = performance.now();
    const retryAfter = RETRY_AFTER_S + Math.floor(Math.random() * (RETRY_JITTER_S + 1));
    return new Failure('UNAVAILABLE', `The service is overloaded. Try again in ${retryAfter} seconds.`, { retryAfter });
  }

  function enter(request: IncomingMessage, begin: () => void, refused: (failure: Failure) => void): () => void {
    if (queue.size() === 0) {
      emptyAt = performance.now();
      if (underWay < limit) {
        underWay += 1;
        begin();
        return STAY;
      }
    }
    let timer: NodeJS.Timeout | undefined;
    const one: WaitingRequest = {
      path: prefixesOf(networkOf(addressOf(request))),
      admit: () => {
        clearTimeout(timer);
        begin();
      },
      giveUp: () => {
        clearTimeout(timer);
        const failure = refusal();
        queue.remove(one);
        refused(failure);
      },
    };
    const displaced = queue.add(one);
    if (displaced !== one) timer = setTimeout(one.giveUp, isSustained() ? sustained : burst);
    displaced?.giveUp();
    return () => {
      clearTimeout(timer);
      queue.remove(one);
    };
  }

  function leave(): void {
    underWay -= 1;
    while (underWay < limit) {
      const one = queue.take();
      if (!one) {
        emptyAt = performance.now();
        return;
      }
      underWay += 1;
      one.admit();
    }
  }

  async function leaving<T>(work: () => T): Promise<Awaited<T>> {
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return {
    /**
     * Waits for a place.
     * @param request of the caller, or the one that opened the socket
     * @param begin called with the place, which `leave` frees
     * @param refused called if no place is free in time
     * @returns a function that stops waiting
     */
    enter,
    leave,
    /** Runs work with a place. @throws Failure UNAVAILABLE if no place is free in time */
    run: <T>(request: IncomingMessage, work: () => T) =>
      new Promise<void>((begin, refused) => enter(request, begin, refused)).then(() => leaving(work)),
    /** Runs work that has begun, without waiting. */
    runOn: <T>(work: () => T) => {
      underWay += 1;
      return leaving(work);
    },
    pass(): void {
      if (underWay >= limit) throw refusal();
    },
    overloaded: () => performance.now() - overloadedAt < OVERLOADED_MS,
    figures: () => ({ underWay, waiting: queue.size(), shed }),
    /** Gets each request whose client left before the answer, which has no status. */
    left: listeners<FastifyRequest>(),
  };
}

const ABANDONED_MS = 10_000;

export interface AdmissionOptions {
  limits: AdmissionLimits;
  addressOf: ReturnType<typeof addressReader>;
  /** Operations without a response for 503 are always admitted. */
  operations: readonly RestOperation[];
}

/** The position of a request: before its place, in it, out of it while the body is incomplete, or done. */
interface Position {
  at: 'queue' | 'inside' | 'outside' | 'gone';
  stop: () => void;
  request?: FastifyRequest | undefined;
}

const POSITION = Symbol('position');
type Positioned = IncomingMessage & { [POSITION]?: Position };

/**
 * Admits requests before any other work, so that rejections are cheap. Probes are always admitted. A client that sends
 * its body slowly, or reads its answer slowly, has no place meanwhile.
 */
export function admissionStages(app: FastifyInstance, options: AdmissionOptions) {
  const places = admission(options.limits, options.addressOf);
  const exempt = new Set(
    options.operations
      .filter(({ operation }) => !operation.responses['503']?.content?.['application/problem+json'])
      .map(({ path }) => path),
  );
  /** Returns true for probes, and for CORS preflights, without which a page cannot read a rejection. */
  const isLetIn = (request: IncomingMessage): boolean => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isPreflight(request) || (isRead && exempt.has(pathOf(request.url ?? '/')));
  };

  function leave(position: Position, to: Position['at']): void {
    if (position.at === 'inside') places.leave();
    if (to === 'gone') position.request = undefined;
    position.at = to;
  }

  function leftEarly({ at, request }: Position): void {
    if (at === 'gone' || request === undefined) return;
    request.isOver = true;
    places.left.emit(request);
  }

  const [serve] = app.server.listeners('request') as [RequestListener];
  app.server.removeListener('request', serve);
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isAfterEnd(request)) return;
    if (isLetIn(request)) return serve(request, response);
    const position: Position = { at: 'queue', stop: () => {} };
    (request as Positioned)[POSITION] = position;
    const begin = () => {
      position.at = 'inside';
      serve(request, response);
    };
    response.once('close', () => {
      position.stop();
      leftEarly(position);
      // The work for a client that disconnected continues.
      if (position.at === 'inside' && !response.writableEnded)
        setTimeout(leave, ABANDONED_MS, position, 'gone').unref();
      else leave(position, 'gone');
    });
    position.stop = places.enter(request, begin, (failure) => {
      countRefusal(request, response);
      refuseRequest(app, request, response, failure);
    });
  });
  function leaveUnlessThere(position: Position, request: IncomingMessage): void {
    // A body that arrived with the headers is read by then.
    setImmediate(() => {
      if (position.at === 'inside' && !request.complete) leave(position, 'outside');
    });
  }
  async function takePlace(position: Position, request: IncomingMessage): Promise<void> {
    position.at = 'queue';
    await new Promise<void>((begin, refused) => {
      const entered = () => {
        position.at = 'inside';
        begin();
      };
      position.stop = places.enter(request, entered, refused);
    });
  }
  async function waitOutside(request: Positioned | undefined, wait: Promise<void>): Promise<void> {
    const position = request?.[POSITION];
    if (position?.at !== 'inside') return wait;
    leave(position, 'outside');
    await wait;
    if ((position as Position).at !== 'outside') throw new Failure('UNAVAILABLE', 'The request is over.');
    await takePlace(position, request as IncomingMessage);
  }
  const stages = {
    // Node emits no request for an upgrade, and a socket takes its own places.
    'upgrade-admission': () => (request) => {
      if (isUpgrade(request)) places.pass();
    },
    'place-left': () => (request) => {
      const { raw } = request;
      const position = (raw as Positioned)[POSITION];
      if (position) position.request = request;
      if (position && hasBody(raw) && !raw.complete) leaveUnlessThere(position, raw);
    },
    'place-taken':
      () =>
      ({ raw }) => {
        const position = (raw as Positioned)[POSITION];
        return position?.at === 'outside' ? takePlace(position, raw) : undefined;
      },
    'place-returned': () => (request) => {
      request.isOver = true;
      const position = (request.raw as Positioned)[POSITION];
      if (position) leave(position, 'gone');
    },
  } satisfies Partial<StagesOf<'limits'>>;
  return { stages, places: Object.assign(places, { waitOutside }) };
}
