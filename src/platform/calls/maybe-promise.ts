/** A value or its promise. A promise for each step of a request would cost more than most steps. */
export type MaybePromise<T> = T | Promise<T>;

export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
