/**
 * Bounds what answers keep in memory: the rows that are read for them, and their text until the client has received it.
 * @module
 */

import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BOUNDS } from '../bounds.js';
import type { AnswerBytes } from '../calls/access.js';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import { callerOf } from './rate-limit.js';

export const ANSWER_LIMITS = {
  /** Bytes of one answer, of all answers of a caller, and of all answers. */
  answer: BOUNDS.answerBytes.value,
  caller: BOUNDS.answersOfCaller.value,
  process: BOUNDS.answersUnderWay.value,
  /** Bytes in which an answer is counted for its caller and the process. Smaller answers are never refused. */
  step: 256 * 1024,
  /** Reads of a caller that run while the caller has bytes. Others wait. */
  reads: BOUNDS.readsOfCaller.value,
};

export type AnswerLimits = typeof ANSWER_LIMITS;

declare module 'fastify' {
  interface FastifyRequest {
    answer: AnswerBytes | null;
  }
  interface FastifyInstance {
    answerOf: (request: FastifyRequest) => AnswerBytes;
    /** Returns the bytes of all answers. */
    answerBytes: () => number;
  }
}

export const answerBytesPlugin = fp<AnswerLimits>(
  async (app, limits) => {
    const { open, total } = answerBytes(limits);
    app.decorateRequest('answer', null);
    app.decorate('answerBytes', total);
    app.decorate('answerOf', (request: FastifyRequest) => {
      request.answer ??= open(callerOf(request));
      return request.answer;
    });
    app.stage('answer-received', ({ answer }) => answer?.release());
  },
  { name: 'answer-bytes', dependencies: ['pipeline'] },
);

/** A caller with bytes. */
interface Caller {
  bytes: number;
  reads: number;
  /** The reads that wait for their turn. */
  waiting: (() => void)[];
}

function answerBytes(limits: AnswerLimits) {
  const callers = new Map<string, Caller>();
  let total = 0;

  function change(key: string, bytes: number): void {
    const caller = callers.get(key) ?? { bytes: 0, reads: 0, waiting: [] };
    caller.bytes += bytes;
    total += bytes;
    if (caller.bytes === 0) callers.delete(key);
    else callers.set(key, caller);
  }

  function refusal(key: string, size: number, more: number): Failure | undefined {
    if (size > limits.answer)
      return new Failure(
        'PAYLOAD_TOO_LARGE',
        `The answer must have at most ${limits.answer} bytes. Ask for fewer items, or for fewer or shorter members.`,
      );
    const retry = { retryAfter: RETRY_AFTER_S };
    if ((callers.get(key)?.bytes ?? 0) + more > limits.caller)
      return new Failure(
        'RATE_LIMITED',
        `The answers under way to a caller must have at most ${limits.caller} bytes together. Read them first.`,
        retry,
      );
    if (total + more > limits.process)
      return new Failure('UNAVAILABLE', 'The service is sending too many large answers. Try again later.', retry);
    return undefined;
  }

  function open(key: string): AnswerBytes {
    let size = 0;
    /** Counted for the caller and the process. */
    let counted = 0;
    let failure: Failure | undefined;

    function throwFailure(): void {
      if (failure) throw failure;
    }
    function growTo(bytes: number): void {
      throwFailure();
      size = bytes;
      const more = size - counted;
      if (more <= limits.step) return;
      failure = refusal(key, size, more);
      if (failure) throw failure;
      counted = size;
      change(key, more);
    }
    async function inTurn<Result>(caller: Caller, send: () => Promise<Result>): Promise<Result> {
      if (caller.bytes + limits.step > limits.caller) failure ??= refusal(key, size, limits.step);
      throwFailure();
      if (caller.reads >= limits.reads) await new Promise<void>((begin) => caller.waiting.push(begin));
      else caller.reads += 1;
      try {
        throwFailure();
        return await send();
      } finally {
        const next = caller.waiting.shift();
        if (next) next();
        else caller.reads -= 1;
      }
    }

    return {
      read(send) {
        const caller = callers.get(key);
        return caller ? inTurn(caller, send) : send();
      },
      add: (bytes) => growTo(size + bytes),
      hold(text) {
        // No text has more than 3 bytes per character.
        if (3 * text.length > limits.step) growTo(Math.max(size, Buffer.byteLength(text)));
      },
      failure: () => failure,
      release() {
        if (counted > 0) change(key, -counted);
        size = 0;
        counted = 0;
        failure = undefined;
      },
    };
  }

  return { open, total: () => total };
}
