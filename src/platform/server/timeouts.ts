/** Limits the time for the answer to a request. @module */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure } from '../core/calls/errors.js';
import { inFlight, type Place } from '../core/calls/in-flight.js';
import type { StagesOf } from '../core/stages.js';
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

/** Fastify 5.12 ends the timer of its own `handlerTimeout` with the body of the request. */
export function timeoutStages(app: FastifyInstance, { handler }: Pick<Timeouts, 'handler'>) {
  // Begins with the complete body: a slow client gets 408 instead.
  const answers = deadlines(handler, (reply) => {
    if (reply.sent || reply.raw.destroyed) return;
    reply.request.isOver = true;
    reply.send(new Failure('UNAVAILABLE', 'The service took too long.'));
    // Fastify takes a second answer until the first has gone, and throws where nothing catches.
    reply.hijack();
  });
  app.decorateReply('due', null);
  return {
    'handler-timeout': () => (_request, reply) => answers.begin(reply),
    'response-there': () => (_request, reply) => answers.end(reply),
  } satisfies Partial<StagesOf<'core'>>;
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
    for (let deadline = due.first(); deadline; deadline = due.first()) {
      const left = deadline.at - performance.now();
      if (left > 0) return void wake(left);
      end(deadline.reply);
      onDue(deadline.reply);
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
