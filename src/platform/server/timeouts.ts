import type { Http2ServerResponse } from 'node:http2';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BOUNDS } from '../bounds.js';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import { bareProblem } from '../http/failures.js';

/** Milliseconds. */
export interface Timeouts {
  handshake: number;
  /** From the connection or the previous request to the complete headers, and to the end of the request. Then 408. */
  headers: number;
  request: number;
  /** For the answer. Then 503. */
  handler: number;
  /** For a client that accepts no byte of its answer, and for a whole HTTP/2 stream. */
  unread: number;
  stream: number;
  /** Longer than in proxies, so that the proxy closes idle connections. */
  idle: number;
  /** For a WebSocket client to read, and to answer the closing handshake. */
  closing: number;
}

export const TIMEOUTS_MS: Timeouts = {
  handshake: 10_000,
  headers: BOUNDS.headersTime.value,
  request: BOUNDS.requestTime.value,
  handler: BOUNDS.answerTime.value,
  unread: BOUNDS.answerRead.value,
  stream: BOUNDS.streamTime.value,
  idle: 72_000,
  closing: 10_000,
};

/**
 * Fastify 5.12 ends the timer of its own `handlerTimeout` with the body of the request. Node has no time-out for bodies
 * over HTTP/2.
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

    // Begins with the complete body: a slow client gets 408 instead.
    const answers = deadlines<FastifyReply>(handler, (reply) => {
      if (reply.sent || reply.raw.destroyed) return;
      reply.send(new Failure('UNAVAILABLE', 'The service took too long.', { retryAfter: RETRY_AFTER_S }));
      // Fastify takes a second answer until the first has gone, and throws where nothing catches.
      reply.hijack();
    });
    app.stage('handler-timeout', (_request, reply) => answers.begin(reply));
    app.stage('answer-there', (_request, reply) => answers.end(reply));
  },
  { name: 'timeouts', dependencies: ['pipeline'] },
);

const streamOf = ({ raw }: FastifyReply) => (raw as unknown as Http2ServerResponse).stream;

/** Answers like Node over HTTP/1.1, and reads no more of the request. */
function refuseRest({ raw, server }: FastifyRequest, reply: FastifyReply): void {
  const stream = streamOf(reply);
  if (reply.sent || stream.headersSent) return void stream.close();
  const { status, headers, body } = bareProblem(server.publicOrigin);
  reply.hijack();
  // The reader of the body would take the end of the stream for the end of the body.
  raw.removeAllListeners('end');
  stream.respond({ ':status': status, ...headers });
  stream.end(body, () => stream.close());
}

/** One timer serves all requests in order, because a timer per request would be expensive. */
function deadlines<Thing>(milliseconds: number, onDue: (thing: Thing) => void) {
  /** In the order of their times. */
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
