import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * What is done in a stage that is ours. It throws what it refuses with. One that answers does so at once, and returns the reply: no
 * other stage follows. Only one that has to wait returns a promise, and it does not answer, for the next stage follows whatever it
 * comes to; after any other that begins in the same turn.
 */
export type Run = (request: FastifyRequest, reply: FastifyReply) => void | FastifyReply | Promise<void>;
type Done = (error?: Error) => void;

function begin(stages: readonly Run[], request: FastifyRequest, reply: FastifyReply, done: Done): void {
  let at = 0;
  function next(): void {
    try {
      for (let stage = stages[at]; stage !== undefined; stage = stages[at]) {
        at += 1;
        const pending = stage(request, reply);
        if (pending === reply) return;
        if (pending instanceof Promise) {
          pending.then(next, done);
          return;
        }
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }
  next();
}

/** @returns a hook of Fastify's that does one stage after the other, until one refuses or has answered */
export const inTurn =
  (stages: readonly Run[]) =>
  (request: FastifyRequest, reply: FastifyReply, done: Done): void =>
    begin(stages, request, reply, done);

/** The same for the phases in which there is a payload, which no stage of ours looks at. */
export const inTurnWithPayload =
  (stages: readonly Run[]) =>
  (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: Done): void =>
    begin(stages, request, reply, done);
