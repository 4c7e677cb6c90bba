import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { toFailure } from '../http/failures.js';
import type { FeedSubscription } from './feed.js';

interface EventsOptions {
  source: AsyncIterable<unknown>;
  execute: (event: unknown) => Promise<ExecutionResult>;
  /** Resolves when the client is ready for the next result. */
  drained: () => Promise<void>;
  onEnd: () => void;
  onFault: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * Returns the results of a subscription with its own event source. Reads an event when the previous result was sent
 * and the client keeps up. `subscribe` of graphql-js is unsuitable: it passes one context to all
 * events, and cannot end while a generator waits.
 * @throws the error of the source's iterator
 */
export function subscriptionResults({
  source,
  execute,
  drained,
  onEnd,
  onFault,
}: EventsOptions): AsyncIterableIterator<ExecutionResult, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  let stop = (): void => {};

  function finish(): void {
    isOver = true;
    onEnd();
  }

  async function close(): Promise<void> {
    // The iterator of a readable stream waits for data before it returns.
    if (source instanceof Readable) source.destroy();
    await iterator.return?.();
  }

  function end(): void {
    if (isOver) return;
    finish();
    stop();
    close().catch(onFault);
  }

  async function nextEvent(): Promise<IteratorResult<unknown>> {
    try {
      const next = await iterator.next();
      if (next.done && !isOver) finish();
      return next;
    } catch (error) {
      if (!isOver) finish();
      throw error;
    }
  }

  async function read(): Promise<IteratorResult<ExecutionResult, void>> {
    await drained();
    // A source that never waits must not block other work.
    await nextTurn();
    if (isOver) return DONE;
    const { value } = await nextEvent();
    return isOver ? DONE : { done: false, value: await execute(value) };
  }

  return iteratorOf(
    () =>
      new Promise((resolve, reject) => {
        if (isOver) return resolve(DONE);
        stop = () => resolve(DONE);
        read().then(resolve, (error: unknown) => {
          // The first call settles the promise: `end` would resolve it.
          reject(toFailure(error));
          end();
        });
      }),
    end,
  );
}

/**
 * Returns an iterator for graphql-ws that yields nothing and ends with the subscription to a stream. It rejects if the
 * subscription cannot begin.
 */
export function emptyResults({ started, leave }: FeedSubscription): AsyncIterableIterator<never, void> {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    finish = resolve;
    started.catch(reject);
  });
  ended.catch(() => {}); // `next` throws the error
  const end = () => {
    leave();
    finish();
  };
  return iteratorOf(() => ended.finally(end).then(() => DONE), end);
}

function iteratorOf<T>(next: () => Promise<IteratorResult<T, void>>, end: () => void): AsyncIterableIterator<T, void> {
  const close = async () => {
    end();
    return DONE;
  };
  return {
    next,
    return: close,
    throw: close,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
