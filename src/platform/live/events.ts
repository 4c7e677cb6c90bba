import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { toFailure } from '../http/failures.js';

interface EventsOptions {
  /** What the subscription subscribed to. */
  source: AsyncIterable<unknown>;
  /** Executes one event. */
  show: (event: unknown) => Promise<ExecutionResult>;
  /** Resolves when the client has read enough to be sent the next one. */
  drained: () => Promise<void>;
  /** Called once, when nothing more will be shown, for whichever reason. */
  onEnd: () => void;
  /** Told what the source threw when it was ended: there is nobody else left to tell. */
  onFault: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * The results of a subscription whose events are its own: each is asked for when the one before has been sent and the client
 * keeps up, and executed for this subscriber alone. It goes on for as long as its source does, and fails with it. What
 * graphql's `subscribe` returns would do the same, but hands one context to all events, and ends no sooner than the source
 * answers, which a generator does not while it waits.
 * @throws what the source throws when it is asked for its iterator
 */
export function eventsOf({
  source,
  show,
  drained,
  onEnd,
  onFault,
}: EventsOptions): AsyncIterableIterator<ExecutionResult, void> {
  const iterator = source[Symbol.asyncIterator]();
  let over = false;
  /** Ends the wait for the next event. */
  let stop = (): void => {};

  function settle(): void {
    if (over) return;
    over = true;
    onEnd();
  }

  function end(): void {
    if (over) return;
    settle();
    stop();
    leave().catch(onFault);
  }

  async function leave(): Promise<void> {
    // The iterator of a stream hears of its end only when there is something to read.
    if (source instanceof Readable) source.destroy();
    await iterator.return?.();
  }

  async function following(): Promise<IteratorResult<unknown>> {
    try {
      const next = await iterator.next();
      if (next.done) settle();
      return next;
    } catch (error) {
      // A source that has failed is at its end, and is not ended once more.
      settle();
      throw error;
    }
  }

  async function read(): Promise<IteratorResult<ExecutionResult, void>> {
    await drained();
    // A source that never waits must not keep the others from their turn.
    await nextTurn();
    if (over) return DONE;
    const { value } = await following();
    return over ? DONE : { done: false, value: await show(value) };
  }

  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (over) return resolve(DONE);
        stop = () => resolve(DONE);
        read().then(resolve, (error: unknown) => {
          end();
          reject(toFailure(error));
        });
      }),
    async return() {
      end();
      return DONE;
    },
    async throw() {
      end();
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * A stream for graphql-ws that carries nothing but the life of a subscription: the frames are sent past it. It ends when the
 * client completes the subscription or goes, and fails when the subscription could not begin.
 */
export function lifetime({
  joined,
  leave,
}: {
  joined: Promise<void>;
  leave: () => void;
}): AsyncIterableIterator<never, void> {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    finish = resolve;
    joined.catch(reject);
  });
  ended.catch(() => {}); // told by `next`, where anybody still asks
  const end = async (): Promise<IteratorResult<never, void>> => {
    leave();
    finish();
    return { done: true, value: undefined };
  };
  return {
    next: () => ended.then(end, (error: unknown) => end().then(() => Promise.reject(error))),
    return: end,
    throw: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
