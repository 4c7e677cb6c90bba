import type { ApplicationPlatform } from '@accord-api/platform';
import type { Order } from '../models.js';
import { variables } from '../variables.js';
import { accounts } from './accounts.js';
import { comments } from './comments.js';
import { messages } from './messages.js';
import { ordersService } from './orders.js';
import { paymentGateway } from './payments/gateways.js';
import { PAYMENTS, paymentJob } from './payments/jobs.js';
import { paymentsService } from './payments/payments.js';
import { posts } from './posts.js';

export type OwnServices = ReturnType<typeof ownServices>;

/** @param paid represents the paid order, for repetitions of the request */
export function ownServices(platform: ApplicationPlatform, paid: (order: Order) => object) {
  const { jobs, environment, production } = platform;
  const payments = paymentsService({
    ...platform,
    gateway: paymentGateway(environment(variables), production),
    answer: paid,
    announce: (db, at) => jobs.announce(db, PAYMENTS, at),
    wake: () => jobs.wake(PAYMENTS),
  });
  jobs.add([paymentJob(payments)]);
  return { accounts, posts, comments, messages, orders: ordersService(payments) };
}
