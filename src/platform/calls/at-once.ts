/** What is there, or will be: a promise only where there is something to wait for. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value in the same turn when it is there: a promise for each step costs more than most steps. */
export const andThen = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);
