/** Bounds what answers keep in memory until their clients have received them. @module */

import { setMaxListeners } from 'node:events';
import type { FastifyReply } from 'fastify';
import { BOUNDS } from '../../core/bounds.js';
import { Failure, RETRY_AFTER_S } from '../../core/calls/errors.js';
import { callerOf } from '../../core/http/call.js';
import type { Seams } from '../../core/part.js';

export const RESPONSE_LIMITS = {
  /** Bytes of one answer, of all answers of a caller, and of all answers. */
  response: BOUNDS.responseBytes.value,
  caller: BOUNDS.responsesOfCaller.value,
  process: BOUNDS.responsesUnderWay.value,
  /** Bytes up to which an answer is small. It counts only behind unread answers of its connection. */
  step: 256 * 1024,
};

export type ResponseLimits = typeof RESPONSE_LIMITS;

export function responseBytes(limits: ResponseLimits): Pick<Seams['limits'], 'countText'> & { counted: () => number } {
  /** The counted bytes of each caller. */
  const callers = new Map<string, number>();
  let total = 0;

  function change(key: string, bytes: number): void {
    total += bytes;
    const left = (callers.get(key) ?? 0) + bytes;
    if (left === 0) callers.delete(key);
    else callers.set(key, left);
  }

  function refusal(key: string, bytes: number): Failure | undefined {
    if (bytes > limits.response)
      return new Failure(
        'PAYLOAD_TOO_LARGE',
        `The answer must have at most ${limits.response} bytes. Ask for fewer items, or for fewer or shorter members.`,
      );
    const retry = { retryAfter: RETRY_AFTER_S };
    if ((callers.get(key) ?? 0) + bytes > limits.caller)
      return new Failure(
        'RATE_LIMITED',
        `The unread answers of a caller may have at most ${limits.caller} bytes together. Read them, then try again.`,
        retry,
      );
    if (total + bytes > limits.process)
      return new Failure('UNAVAILABLE', 'The service is sending too many large answers. Try again later.', retry);
    return undefined;
  }

  function countText({ request, raw }: FastifyReply, content: string | Buffer, mayRefuse: boolean): string | Buffer {
    const { socket } = request.raw;
    // A pipelined request gets the socket when the answers before it are sent.
    const isUnread = raw.socket === null || socket.writableLength > 0;
    // No text has more than 3 bytes per character.
    if (!isUnread && 3 * content.length <= limits.step) return content;
    const bytes = Buffer.byteLength(content);
    // After the time limit of a handler another answer has been sent.
    if ((!isUnread && bytes <= limits.step) || socket.destroyed || raw.writableEnded) return content;
    const key = callerOf(request);
    const failure = mayRefuse ? refusal(key, bytes) : undefined;
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
    return Buffer.isBuffer(content) ? content : Buffer.from(content);
  }

  return { countText, counted: () => total };
}
