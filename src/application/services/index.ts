import type { ApplicationPlatform } from '@accord-api/platform';
import type { Order } from '../models.js';
import { variables } from '../variables.js';
import { accounts } from './accounts.js';
import { comments } from './comments.js';
import { messages } from './messages.js';
import { ordersService } from './orders.js';
import { embeddedGateway } from './payments/embedded.js';
import { httpGateway } from './payments/http.js';
import { paymentsService } from './payments/payments.js';
import { posts } from './posts.js';

const PAYMENT_JOB = 'payments';
/** Concurrent attempts, so that a slow payment does not delay the others. */
const WORKER_COUNT = 4;
/** Milliseconds between searches for due payments that were not announced. */
const SEARCH_INTERVAL_MS = 600_000;

export type OwnServices = ReturnType<typeof ownServices>;

/** @param represent returns the response body of a paid order, for retries of the request */
export function ownServices(platform: ApplicationPlatform, represent: (order: Order) => object) {
  const { jobs, environment, outside, production } = platform;
  const { PAYMENT_URL: url, PAYMENT_TIMEOUT: timeout } = environment(variables);
  // Production has no gateway without PAYMENT_URL.
  const embedded = production ? undefined : embeddedGateway;
  const payments = paymentsService({
    ...platform,
    gateway: url ? httpGateway({ url, timeout, outside }) : embedded,
    represent,
    announce: (db, at) => jobs.announce(db, PAYMENT_JOB, at),
    wake: () => jobs.wake(PAYMENT_JOB),
  });
  const schedule = { every: SEARCH_INTERVAL_MS, announced: true, concurrency: WORKER_COUNT };
  jobs.add([{ name: PAYMENT_JOB, ...schedule, run: payments.settleOne }]);
  return { accounts, posts, comments, messages, orders: ordersService(payments) };
}
