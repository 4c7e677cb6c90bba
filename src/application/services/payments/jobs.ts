import type { Job } from '@accord-api/platform';
import type { Payments } from './payments.js';

export const PAYMENTS = 'payments';

/** Concurrent attempts, so that a slow payment does not delay the others. */
const WORKER_COUNT = 4;
/** Milliseconds between searches for due payments that were not announced. */
const SEARCH_INTERVAL_MS = 600_000;

/** Settles payments that were answered with 202, and those that a crash or a silent gateway left open. */
export const paymentJob = ({ settleOne }: Payments): Job => ({
  name: PAYMENTS,
  every: SEARCH_INTERVAL_MS,
  announced: true,
  atOnce: WORKER_COUNT,
  run: settleOne,
});
