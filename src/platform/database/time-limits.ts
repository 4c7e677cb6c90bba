/** Milliseconds that the service waits for its database. */
export interface TimeLimits {
  /** For a free connection; of the embedded database, which has one, for the end of the transactions before. */
  connect: number;
  /** For the answer to a statement, and for the statement on the server when we have gone. */
  answer: number;
  statement: number;
  /** For all of a transaction, once it has begun. */
  transaction: number;
}

export const TIME_LIMITS: TimeLimits = { connect: 2000, answer: 4500, statement: 5000, transaction: 5000 };
