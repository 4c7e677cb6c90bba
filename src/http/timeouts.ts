import fp from 'fastify-plugin';
import { Failure } from '../services/errors.js';

/** Milliseconds. */
export interface Timeouts {
  /** For the headers of a request, and for all of it; then 408. */
  headers: number;
  request: number;
  /** For the answer to it; then 503. */
  handler: number;
}

export const TIMEOUTS: Timeouts = { headers: 10_000, request: 15_000, handler: 10_000 };
/** Milliseconds that an idle connection is kept: longer than a proxy does, so that it is the proxy who closes. */
const KEEP_ALIVE = 72_000;

/** Node looks for late requests at intervals only; so much earlier must a request count as late. */
export function serverTimeouts({ headers, request }: Timeouts) {
  const interval = Math.min(500, headers / 4);
  return {
    requestTimeout: request - interval,
    keepAliveTimeout: KEEP_ALIVE,
    http: { headersTimeout: headers - interval, connectionsCheckingInterval: interval },
  };
}

/** Seconds after which another attempt makes sense. */
const RETRY_AFTER = 2;

/**
 * Answers 503 for a handler that takes too long. Fastify has an option of the name; in 5.12 it gives up its timer as soon
 * as the body of the request has been read, on the `close` of the request and not of the answer.
 */
export const handlerTimeoutPlugin = fp<{ milliseconds: number }>(async (app, { milliseconds }) => {
  // From when the body is there: a client that is slow with it is 408, later.
  app.addHook('preValidation', async (_request, reply) => {
    const timer = setTimeout(() => {
      if (reply.sent) return;
      reply.send(new Failure('UNAVAILABLE', 'The service took too long.', { retryAfter: RETRY_AFTER }));
    }, milliseconds);
    reply.raw.once('close', () => clearTimeout(timer));
  });
});
