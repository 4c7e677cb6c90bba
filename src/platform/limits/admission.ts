import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import type { OpenApiDocument } from '../contract/document.js';
import { type Operation, operations } from '../contract/openapi.js';
import { isPreflight } from '../http/cross-origin.js';
import { pathOf } from './shedding.js';

/** How much is done at once, and how long the rest may wait for it. */
export interface AdmissionLimits {
  /** Requests and operations under way. More than may wait for a password's hash, so that a flood of logins leaves places. */
  underWay: number;
  /** How many may wait for a place. */
  waiting: number;
  /** Milliseconds that one waits at most when the line was empty a short while ago: so long a burst is borne. */
  burst: number;
  /** The same when the line has not been empty for `burst`: there is more to do than can be done, and waiting helps nobody. */
  standing: number;
}

export const ADMISSION: AdmissionLimits = { underWay: 128, waiting: 1000, burst: 500, standing: 250 };

/** Seconds after which to try again: at least, and up to so many more, so that those who were shed do not return together. */
const RETRY_AFTER = 1;
const JITTER = 4;
/** Milliseconds after which the work for a client that has gone is over, whatever became of it. */
const ABANDONED = 10_000;
/** Milliseconds after the last one that was refused by a standing line in which the service calls itself overloaded. */
const MEMORY = 1000;

/**
 * A limit on what is under way and a line before it, refused by the time that one has waited: controlled delay, as in Nichols
 * and Jacobson, "Controlling Queue Delay" (ACM Queue 10:5, 2012), and for servers in Maurer, "Fail at Scale" (ACM Queue 13:8,
 * 2015).
 */
function admission({ underWay: limit, waiting, burst, standing }: AdmissionLimits) {
  /** Who waits, in the order of arrival. */
  const line = new Set<() => void>();
  let underWay = 0;
  let emptyAt = performance.now();
  let shed = 0;
  let overloadedAt = Number.NEGATIVE_INFINITY;

  const isStanding = () => performance.now() - emptyAt > burst;

  function refusal(): Failure {
    shed += 1;
    if (line.size > 0 && (isStanding() || line.size >= waiting)) overloadedAt = performance.now();
    const retryAfter = RETRY_AFTER + Math.floor(Math.random() * (JITTER + 1));
    return new Failure('UNAVAILABLE', 'The service is overloaded.', { retryAfter });
  }

  function enter(begin: () => void, refused: (failure: Failure) => void): () => void {
    if (line.size === 0) emptyAt = performance.now();
    if (underWay < limit && line.size === 0) {
      underWay += 1;
      begin();
      return () => {};
    }
    if (line.size >= waiting) {
      refused(refusal());
      return () => {};
    }
    const stop = () => {
      clearTimeout(timer);
      line.delete(admit);
    };
    const admit = () => {
      stop();
      begin();
    };
    const giveUp = () => {
      const failure = refusal();
      stop();
      refused(failure);
    };
    const timer = setTimeout(giveUp, isStanding() ? standing : burst);
    line.add(admit);
    return stop;
  }

  function next(): void {
    while (underWay < limit) {
      const [admit] = line;
      if (!admit) {
        emptyAt = performance.now();
        return;
      }
      underWay += 1;
      admit();
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
     * Takes a place, as soon as there is one.
     * @param begin called with the place, which is given back by `leave`
     * @param refused called instead when there is no place in time
     * @returns ends the waiting for it
     */
    enter,
    leave,
    /**
     * Does a piece of work with a place.
     * @throws Failure UNAVAILABLE when there is no place in time
     */
    run: <T>(work: () => T) => new Promise<void>(enter).then(() => leaving(work)),
    /** The same for one that has begun already, which does not wait. */
    runOn: <T>(work: () => T) => {
      underWay += 1;
      return leaving(work);
    },
    /** @throws Failure UNAVAILABLE when there is no place now */
    pass(): void {
      if (underWay >= limit) throw refusal();
    },
    /** Whether there was more to do just now than can be done, for longer than a burst. */
    overloaded: () => performance.now() - overloadedAt < MEMORY,
    /** What there is to see: under way, waiting, and how many were refused so far. */
    figures: () => ({ underWay, waiting: line.size, shed }),
  };
}

type Admission = ReturnType<typeof admission>;

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission;
  }
}

interface AdmissionOptions {
  limits: AdmissionLimits;
  /** The contract, which says what answers under overload as well: what declares no problem for 503. */
  document: OpenApiDocument;
  /** Answers what was not let in. */
  refuse: (request: IncomingMessage, response: ServerResponse, failure: Failure) => void;
}

/** Where a request is: before its place, in it, out of it while its body is still to come, or done with it. */
interface Stay {
  at: 'line' | 'inside' | 'outside' | 'gone';
  /** Ends the waiting for a place. */
  stop: () => void;
}

/** A request with its stay, which the probes have not. */
const STAY = Symbol('stay');
type Staying = IncomingMessage & { [STAY]?: Stay };

/**
 * Lets requests in before anything else is done for them, so that one which is refused costs next to nothing: the probes always,
 * and the others as soon as there is a place. A client that is slow to send its body, or to read its answer, has none meanwhile.
 */
export const admissionPlugin = fp<AdmissionOptions>(
  async (app, { limits, document, refuse }) => {
    const places = admission(limits);
    app.decorate('admission', places);
    const exempt = new Set(
      operations(document)
        .filter(isExempt)
        .map(({ path }) => path),
    );
    /** Probes, and the questions of browsers before a request, which could not read its refusal otherwise. */
    const isLetIn = (request: IncomingMessage): boolean => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      return isPreflight(request) || (isRead && exempt.has(pathOf(request)));
    };

    function leave(stay: Stay, to: Stay['at']): void {
      if (stay.at === 'inside') places.leave();
      stay.at = to;
    }

    const [serve] = app.server.listeners('request') as [RequestListener];
    app.server.removeListener('request', serve);
    app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (isLetIn(request)) return serve(request, response);
      const stay: Stay = { at: 'line', stop: () => {} };
      (request as Staying)[STAY] = stay;
      const begin = () => {
        stay.at = 'inside';
        serve(request, response);
      };
      response.once('close', () => {
        stay.stop();
        // Work goes on for a client that has gone, and ends as any other does.
        if (stay.at === 'inside' && !response.writableEnded) setTimeout(leave, ABANDONED, stay, 'gone').unref();
        else leave(stay, 'gone');
      });
      stay.stop = places.enter(begin, (failure) => refuse(request, response, failure));
    });
    // An upgrade is no request to Node, and what has become a socket asks for its places itself.
    app.stage('upgrade-admission', ({ ws }) => {
      if (ws) places.pass();
    });

    app.stage('place-left', ({ raw }) => {
      const stay = (raw as Staying)[STAY];
      return stay && hasBody(raw) && !isComplete(raw) ? leaveUnlessThere(stay, raw) : undefined;
    });
    async function leaveUnlessThere(stay: Stay, request: IncomingMessage): Promise<void> {
      // What has come along with the headers is read in this turn, after them.
      await undefined;
      if (stay.at === 'inside' && !isComplete(request)) leave(stay, 'outside');
    }
    app.stage('place-taken', ({ raw }) => {
      const stay = (raw as Staying)[STAY];
      return stay?.at === 'outside' ? takePlace(stay) : undefined;
    });
    async function takePlace(stay: Stay): Promise<void> {
      stay.at = 'line';
      await new Promise<void>((begin, refused) => {
        const entered = () => {
          stay.at = 'inside';
          begin();
        };
        stay.stop = places.enter(entered, refused);
      });
    }
    app.stage('place-returned', ({ raw }) => {
      const stay = (raw as Staying)[STAY];
      if (stay) leave(stay, 'gone');
    });
  },
  { name: 'admission', dependencies: ['pipeline', 'web-socket'] },
);

/** A stream of HTTP/2 without a body is complete with its headers, which Node does not say of the request. */
const isComplete = (request: IncomingMessage): boolean =>
  request.complete || (request as unknown as Http2ServerRequest).stream?.endAfterHeaders === true;

/** RFC 9112 §6; Node calls a request complete only after its headers were told. */
const hasBody = ({ httpVersionMajor, headers }: IncomingMessage): boolean =>
  httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isExempt = ({ operation }: Operation): boolean =>
  !operation.responses['503']?.content?.['application/problem+json'];
