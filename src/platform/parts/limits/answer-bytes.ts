/**
 * Bounds what answers keep in memory: the rows that are read for them, and their text until the client has received it.
 * @module
 */

import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BOUNDS } from '../../core/bounds.js';
import type { RowBytes } from '../../core/calls/access.js';
import { Failure, RETRY_AFTER_S } from '../../core/calls/errors.js';
import { callerOf } from './rate-limit.js';

export const ANSWER_LIMITS = {
  /** Bytes of one answer, of all answers of a caller, and of all answers. */
  answer: BOUNDS.answerBytes.value,
  caller: BOUNDS.answersOfCaller.value,
  process: BOUNDS.answersUnderWay.value,
  /** Granularity of the counters of callers and of the process, in bytes. The bound of the process does not refuse smaller answers. */
  step: 256 * 1024,
  /** Reads of a caller that run while the caller has counted bytes. Others wait. */
  reads: BOUNDS.readsOfCaller.value,
};

export type AnswerLimits = typeof ANSWER_LIMITS;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Opens the count of the rows of one execution.
     * @param request of the caller; undefined if several callers share the result
     */
    countRows: (request: FastifyRequest | undefined) => RowBytes;
    /**
     * Counts the text of an answer until the client has received it, or has disconnected.
     * @param mayRefuse false after a write, which has happened
     * @throws Failure PAYLOAD_TOO_LARGE, RATE_LIMITED, UNAVAILABLE
     */
    countText: (reply: FastifyReply, text: string | Buffer, mayRefuse: boolean) => void;
    /** Returns the counted bytes of all answers. */
    answerBytes: () => number;
  }
}

export const answerBytesPlugin = fp<AnswerLimits>(
  async (app, limits) => {
    const { rows, text, total } = answerBytes(limits);
    app.decorate('answerBytes', total);
    app.decorate('countRows', (request: FastifyRequest | undefined) => rows(request && callerOf(request)));
    app.decorate('countText', text);
  },
  { name: 'answer-bytes' },
);

/** A caller with counted bytes. */
interface Caller {
  bytes: number;
  reads: number;
  /** The reads that wait for their turn. */
  waiting: (() => void)[];
}

/** For rows that arrive later: of a handler after its time limit, or of a read that was repeated. */
const LATE = new Failure('UNAVAILABLE', 'The operation has ended.');

function answerBytes(limits: AnswerLimits) {
  const callers = new Map<string, Caller>();
  let total = 0;

  function change(key: string | undefined, bytes: number): void {
    total += bytes;
    if (key === undefined) return;
    const caller = callers.get(key) ?? { bytes: 0, reads: 0, waiting: [] };
    caller.bytes += bytes;
    if (caller.bytes === 0) callers.delete(key);
    else callers.set(key, caller);
  }

  /** @param size of the answer @param more bytes that are not counted yet */
  function refusal(key: string | undefined, size: number, more: number): Failure | undefined {
    if (size > limits.answer)
      return new Failure(
        'PAYLOAD_TOO_LARGE',
        `The answer must have at most ${limits.answer} bytes. Ask for fewer items, or for fewer or shorter members.`,
      );
    const retry = { retryAfter: RETRY_AFTER_S };
    if (key !== undefined && (callers.get(key)?.bytes ?? 0) + more > limits.caller)
      return new Failure(
        'RATE_LIMITED',
        `The unread answers of a caller may have at most ${limits.caller} bytes together. Read them, then try again.`,
        retry,
      );
    if (total + more > limits.process)
      return new Failure('UNAVAILABLE', 'The service is sending too many large answers. Try again later.', retry);
    return undefined;
  }

  function rows(key: string | undefined): RowBytes {
    let size = 0;
    let counted = 0;
    let failure: Failure | undefined;

    function throwFailure(): void {
      if (failure) throw failure;
    }
    async function inTurn<Result>(caller: Caller, send: () => Promise<Result>): Promise<Result> {
      // Refused before the read, which would cost as much as a permitted one.
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
      async read(send) {
        throwFailure();
        const caller = key === undefined ? undefined : callers.get(key);
        return caller ? inTurn(caller, send) : send();
      },
      add(bytes) {
        throwFailure();
        size += bytes;
        const more = size - counted;
        if (more <= limits.step) return;
        failure = refusal(key, size, more);
        throwFailure();
        counted = size;
        change(key, more);
      },
      failure: () => failure,
      release() {
        if (counted > 0) change(key, -counted);
        counted = 0;
        failure ??= LATE;
      },
    };
  }

  function text({ request, raw }: FastifyReply, content: string | Buffer, mayRefuse: boolean): void {
    // No text has more than 3 bytes per character.
    if (3 * content.length <= limits.step) return;
    const bytes = Buffer.byteLength(content);
    const { socket } = request.raw;
    // After the time limit of a handler another answer has been sent.
    if (bytes <= limits.step || socket.destroyed || raw.writableEnded) return;
    const key = callerOf(request);
    const failure = mayRefuse ? refusal(key, bytes, bytes) : undefined;
    if (failure) throw failure;
    change(key, bytes);
    let isFree = false;
    function free(): void {
      if (!isFree) change(key, -bytes);
      isFree = true;
      socket.off('close', free);
    }
    raw.once('finish', free).once('close', free);
    // The answers of pipelined requests that wait emit no event.
    setMaxListeners(0, socket);
    socket.once('close', free);
  }

  return { rows, text, total: () => total };
}
