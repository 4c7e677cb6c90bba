/** A value, or a promise of it if it is not ready. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a ready value in the same turn: a promise for each step would cost more than most steps. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
