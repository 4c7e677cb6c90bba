/** Returns a promise that begins the work when it is awaited, as Prisma's promises do. */
export function lazyPromise(begin: () => Promise<unknown>): Promise<unknown> {
  let running: Promise<unknown> | undefined;
  const run = () => (running ??= begin());
  return {
    [Symbol.toStringTag]: 'PrismaPromise',
    // biome-ignore lint/suspicious/noThenProperty: awaiting it begins the work
    then: (onFulfilled, onRejected) => run().then(onFulfilled, onRejected),
    catch: (onRejected) => run().catch(onRejected),
    finally: (onFinally) => run().finally(onFinally),
  };
}

/** Begins a call of Prisma now. `await` and `Promise.all` would begin it after the code that follows. */
export const begun = <T>(call: Promise<T>): Promise<T> => call.then();

/** Returns a function whose concurrent calls share one run of `work`. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns a function whose waiting calls share one run. Each call gets the result of a run that began after the call. */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      const run = work();
      next = undefined;
      running = run.catch(() => {});
      return run;
    });
    return next;
  };
}

export function listeners<T>() {
  const all = new Set<(news: T) => void>();
  return {
    emit(news: T): void {
      for (const listener of all) listener(news);
    },
    /** Returns a function that removes the listener. */
    add(listener: (news: T) => void): () => void {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}

/** A value or its promise. A promise for each step of a request would cost more than most steps. */
export type MaybePromise<T> = T | Promise<T>;

/** A promise for which nobody needs to wait. */
export const FULFILLED: Promise<void> = Promise.resolve();
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;
export const unlessFulfilled = (promise: Promise<void>): MaybePromise<void> =>
  promise === FULFILLED ? undefined : promise;

/** Returns true for a promise, also of Prisma, whose promises are no instances of `Promise` and begin when `then` is called. */
export const waits = (made: unknown): made is Promise<unknown> =>
  typeof made === 'object' && made !== null && typeof (made as { then?: unknown }).then === 'function';

export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  waits(value) ? (value as Promise<T>).then(next) : next(value as T);
