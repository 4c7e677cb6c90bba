import type { Http2ServerResponse } from 'node:http2';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import { bareProblem } from '../http/problems.js';
import { deadlines } from './deadlines.js';

/** Milliseconds. */
export interface Timeouts {
  /** For the TLS handshake; then the connection ends. */
  handshake: number;
  /** For the headers of a request, on a new connection from its beginning; and for all of it. Then 408. */
  headers: number;
  request: number;
  /** For the answer to it; then 503. */
  handler: number;
  /** For which a connection is kept that carries nothing: longer than a proxy does, so that it is the proxy who closes. */
  idle: number;
  /** For a WebSocket's client to answer the closing handshake: enough to read what was sent before it. Then it is cut off. */
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

/** Seconds after which another attempt makes sense. */
const RETRY_AFTER = 2;

/**
 * Answers 503 for a handler that takes too long. Fastify has an option of the name; in 5.12 it gives up its timer as soon
 * as the body of the request has been read, on the `close` of the request and not of the answer. And answers 408 for a
 * body that takes too long over HTTP/2, where Node itself has no time-out.
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

    // From when the body is there: a client that is slow with it is 408, later.
    const answers = deadlines<FastifyReply>(handler, (reply) => {
      if (reply.sent || reply.raw.destroyed) return;
      reply.send(new Failure('UNAVAILABLE', 'The service took too long.', { retryAfter: RETRY_AFTER }));
      // Fastify takes a second answer until the first has gone, which may wait for a Redis, and fails at it where nobody catches.
      reply.hijack();
    });
    app.stage('handler-timeout', (_request, reply) => answers.begin(reply));
    app.stage('answer-there', (_request, reply) => answers.end(reply));
  },
  { name: 'timeouts', dependencies: ['pipeline'] },
);

const streamOf = ({ raw }: FastifyReply) => (raw as unknown as Http2ServerResponse).stream;

/** As Node does over HTTP/1.1: the bare problem whatever the address, and no more of the request is taken. */
function refuseRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  const stream = streamOf(reply);
  if (reply.sent || stream.headersSent) return void stream.close();
  const { status, headers, body } = bareProblem('REQUEST_TIMEOUT');
  reply.hijack();
  // Or else its reader takes the end of the stream for that of the body.
  raw.removeAllListeners('end');
  stream.respond({ ':status': status, ...headers });
  stream.end(body, () => stream.close());
}
