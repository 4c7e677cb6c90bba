/** A value, or a promise of it if it is not ready. */
export type Soon<T> = T | Promise<T>;

/** Continues with a ready value in the same turn: a promise for each step would cost more than most steps. */
export const andThen = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);
