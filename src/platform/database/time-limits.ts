/** Milliseconds that the service waits for its database. */
export interface TimeLimits {
  /** For a free connection; of the embedded database, which has one, for the end of the transactions before. */
  connect: number;
  /** For the answer to a statement. */
  answer: number;
  /** For all of a transaction, once it has begun. */
  transaction: number;
}

export const TIME_LIMITS: TimeLimits = { connect: 2000, answer: 4500, transaction: 5000 };

/**
 * Milliseconds after which a server gives a statement up: in time for us to be told, so that a write which we call failed is not
 * done after all.
 */
export const statementTimeout = ({ answer }: Pick<TimeLimits, 'answer'>): number => Math.ceil(answer * 0.9);
