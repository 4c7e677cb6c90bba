/** The places of running requests, and the queue for them. @module */

import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { BOUNDS } from '../bounds.js';
import { Failure } from '../calls/errors.js';
import { networkOf, prefixesOf } from '../calls/networks.js';
import { fairQueue } from '../calls/schedulers.js';

export interface AdmissionLimits {
  /**
   * Concurrent requests and operations. More than password hashing allows to wait, so that logins cannot use all
   * places.
   */
  underWay: number;
  waiting: number;
  /** Milliseconds that a request may wait after the queue was empty: a burst. */
  burst: number;
  /** Milliseconds that a request may wait if the queue was not empty for `burst`. */
  sustained: number;
}

export const ADMISSION: AdmissionLimits = {
  underWay: BOUNDS.requestsUnderWay.value,
  waiting: BOUNDS.requestsWaiting.value,
  burst: 500,
  sustained: 250,
};

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
  trusted: string | undefined,
) {
  const trust = trusted === undefined ? () => false : proxyAddress.compile(trusted.split(',').map((one) => one.trim()));
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
      path: prefixesOf(networkOf(proxyAddress(request, trust) ?? '')),
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

  function next(): void {
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

  function leave(): void {
    underWay -= 1;
    next();
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
  };
}

export type Admission = ReturnType<typeof admission>;
