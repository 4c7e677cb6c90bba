import type { Job } from '@accord-api/platform';
import type { Payments } from './payments.js';

export const PAYMENTS = 'payments';

/** How many payments of the background are attempted at once, so that a slow one holds nobody up. */
const WORKERS = 4;
/** Milliseconds after which to look for what nobody has told of. */
const LOOK = 600_000;

/** Settles what was answered with 202, and what a crash or a gateway that gave no answer has left open. */
export const paymentJob = ({ settleOne }: Payments): Job => ({
  name: PAYMENTS,
  every: LOOK,
  announced: true,
  atOnce: WORKERS,
  run: settleOne,
});
