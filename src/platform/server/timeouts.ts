import type { Http2ServerResponse } from 'node:http2';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import { bareProblem } from '../http/failures.js';

/** Milliseconds. */
export interface Timeouts {
  /** For the TLS handshake; then the connection ends. */
  handshake: number;
  /** For the headers of a request, on a new connection from its beginning; and for the whole request. Then 408. */
  headers: number;
  request: number;
  /** For the answer; then 503. */
  handler: number;
  /** For an idle connection: longer than proxies keep one, so that the proxy closes it. */
  idle: number;
  /** For the client of a WebSocket to read what was sent, and to answer the closing handshake. Then the connection is cut. */
  closing: number;
}

export const TIMEOUTS: Timeouts = {
  handshake: 10_000,
  headers: 10_000,
  request: 15_000,
  handler: 10_000,
  idle: 72_000,
  closing: 10_000,
};

/** Seconds after which the client may try again. */
const RETRY_AFTER = 2;

/**
 * Answers 503 for a slow handler: Fastify's option of the name ends its timer in 5.12 when the body of the request has been read.
 * Answers 408 for a slow body over HTTP/2, where Node has no time-out.
 */
export const timeoutsPlugin = fp<Pick<Timeouts, 'request' | 'handler'>>(
  async (app, { request: whole, handler }) => {
    app.stage('body-timeout', (request, reply) => {
      if (request.raw.httpVersionMajor < 2 || streamOf(reply).endAfterHeaders) return;
      const timer = setTimeout(() => {
        if (!request.raw.complete) refuseRest(request, reply);
      }, whole);
      reply.raw.once('close', () => clearTimeout(timer));
    });

    // Begins when the body is complete: a slow client gets 408, later.
    const answers = deadlines<FastifyReply>(handler, (reply) => {
      if (reply.sent || reply.raw.destroyed) return;
      reply.send(new Failure('UNAVAILABLE', 'The service took too long.', { retryAfter: RETRY_AFTER }));
      // Fastify takes a second answer until the first has gone, which may wait for Redis, and throws where nothing catches.
      reply.hijack();
    });
    app.stage('handler-timeout', (_request, reply) => answers.begin(reply));
    app.stage('answer-there', (_request, reply) => answers.end(reply));
  },
  { name: 'timeouts', dependencies: ['pipeline'] },
);

const streamOf = ({ raw }: FastifyReply) => (raw as unknown as Http2ServerResponse).stream;

/** Answers like Node over HTTP/1.1: a bare problem at any address, and reads no more of the request. */
function refuseRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  const stream = streamOf(reply);
  if (reply.sent || stream.headersSent) return void stream.close();
  const { status, headers, body } = bareProblem('REQUEST_TIMEOUT');
  reply.hijack();
  // Otherwise its reader takes the end of the stream for that of the body.
  raw.removeAllListeners('end');
  stream.respond({ ':status': status, ...headers });
  stream.end(body, () => stream.close());
}

/**
 * Calls back for everything that has not ended in time. One timer serves all, because what begins first is due first: a timer for
 * each request would cost more than most of its other work. It does not keep the process alive.
 * @param milliseconds from the beginning of a thing
 */
function deadlines<Thing>(milliseconds: number, onDue: (thing: Thing) => void) {
  /** The time at which each is due, in this order. */
  const due = new Map<Thing, number>();
  let timer: NodeJS.Timeout | undefined;

  const wake = (after: number) => {
    timer = setTimeout(look, after).unref();
  };
  function look(): void {
    timer = undefined;
    for (const [thing, at] of due) {
      const left = at - performance.now();
      if (left > 0) {
        wake(left);
        return;
      }
      due.delete(thing);
      onDue(thing);
    }
  }
  return {
    begin(thing: Thing): void {
      due.set(thing, performance.now() + milliseconds);
      if (timer === undefined) wake(milliseconds);
    },
    end: (thing: Thing): void => void due.delete(thing),
  };
}
