import type { PlatformServices } from 'accord';
import { variables } from '../variables.js';
import { belongings } from './belongings.js';
import { commentsService } from './comments.js';
import { messagesService } from './messages.js';
import { type Order, ordersService } from './orders.js';
import { paymentGateway } from './payments/gateways.js';
import { PAYMENTS, paymentJob } from './payments/jobs.js';
import { type PaymentsDependencies, paymentsService } from './payments/payments.js';
import { postsService } from './posts.js';

export type OwnServices = ReturnType<typeof ownServices>;

/**
 * The business rules of the example, over what the platform gives.
 * @param paid what is answered for the order that a payment has ended with
 */
export function ownServices(
  {
    client,
    statements,
    now,
    idempotency,
    jobs,
    durableStream,
    ownedByAccounts,
    environment,
    production,
  }: PlatformServices,
  paid: (order: Order) => object,
) {
  const gateway = paymentGateway(environment(variables), production);
  const announce: PaymentsDependencies['announce'] = (db, at) => jobs.announce(db, PAYMENTS, at);
  const payments = paymentsService({ client, statements, gateway, idempotency, answer: paid, now, announce });
  jobs.add([paymentJob(payments)]);
  ownedByAccounts(belongings);
  return {
    posts: postsService({ client, statements }),
    comments: commentsService({ client, statements }),
    messages: messagesService({ client, statements, durableStream }),
    orders: ordersService({ client, statements, now, idempotency, payments, wakePayments: () => jobs.wake(PAYMENTS) }),
  };
}
