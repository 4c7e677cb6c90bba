import type { Job } from 'accord';
import type { Payments } from './payments.js';

export const PAYMENTS = 'payments';

/** How many payments of the background are attempted at once, so that a slow one holds nobody up. */
const WORKERS = 4;
/** Milliseconds after which to look for payments that are due again, or that another instance has left. */
const LOOK = 1000;

/** Settles what was answered with 202, and what a crash or a gateway that gave no answer has left open. */
export const paymentJobs = ({ settleOne }: Payments): Job[] =>
  Array.from({ length: WORKERS }, () => ({
    name: PAYMENTS,
    every: LOOK,
    run: async (signal) => {
      while (!signal.aborted && (await settleOne(signal)));
    },
  }));
