/** Limits the time for the body of a request, and for its answer. @module */

import type { ServerHttp2Stream } from 'node:http2';
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import { inFlight, type Place } from '../calls/in-flight.js';
import { bareProblem } from '../http/failures.js';
import type { Timeouts } from './http-server.js';

interface Due {
  reply: FastifyReply;
  at: number;
}

declare module 'fastify' {
  interface FastifyReply {
    due: Place<Due> | null;
  }
}

/**
 * Fastify 5.12 ends the timer of its own `handlerTimeout` with the body of the request. Node has no time-out for bodies
 * over HTTP/2.
 */
export const timeoutsPlugin = fp<Pick<Timeouts, 'request' | 'handler'>>(
  async (app, { request: whole, handler }) => {
    app.stage('body-timeout', (request, reply) => {
      if (request.raw.httpVersionMajor < 2 || streamOf(reply).endAfterHeaders) return;
      const timer = setTimeout(() => {
        if (!request.raw.complete) refuseRest(reply);
      }, whole);
      reply.raw.once('close', () => clearTimeout(timer));
    });

    // Begins with the complete body: a slow client gets 408 instead.
    const answers = deadlines(handler, (reply) => {
      if (reply.sent || reply.raw.destroyed) return;
      reply.request.isOver = true;
      reply.send(new Failure('UNAVAILABLE', 'The service took too long.', { retryAfter: RETRY_AFTER_S }));
      // Fastify takes a second answer until the first has gone, and throws where nothing catches.
      reply.hijack();
    });
    app.decorateReply('due', null);
    app.stage('handler-timeout', (_request, reply) => answers.begin(reply));
    app.stage('answer-there', (_request, reply) => answers.end(reply));
  },
  { name: 'timeouts', dependencies: ['pipeline'] },
);

const streamOf = ({ raw }: FastifyReply) => (raw as unknown as { stream: ServerHttp2Stream }).stream;

/** Answers like Node over HTTP/1.1, and reads no more of the request. */
function refuseRest(reply: FastifyReply): void {
  const { raw, server } = reply.request;
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
function deadlines(milliseconds: number, onDue: (reply: FastifyReply) => void) {
  const due = inFlight<Due>();
  let timer: NodeJS.Timeout | undefined;

  const wake = (after: number) => {
    timer = setTimeout(look, after).unref();
  };
  function look(): void {
    timer = undefined;
    for (let one = due.first(); one; one = due.first()) {
      const left = one.at - performance.now();
      if (left > 0) return void wake(left);
      end(one.reply);
      onDue(one.reply);
    }
  }
  function end(reply: FastifyReply): void {
    if (reply.due) due.remove(reply.due);
    reply.due = null;
  }
  return {
    begin(reply: FastifyReply): void {
      reply.due = due.add({ reply, at: performance.now() + milliseconds });
      if (timer === undefined) wake(milliseconds);
    },
    end,
  };
}
