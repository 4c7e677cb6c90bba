import type { PlatformServices } from 'accord';
import type { Order } from '../models.js';
import { variables } from '../variables.js';
import { belongings } from './belongings.js';
import { paymentGateway } from './payments/gateways.js';
import { PAYMENTS, paymentJob } from './payments/jobs.js';
import { type PaymentsDependencies, paymentsService } from './payments/payments.js';

export type OwnServices = ReturnType<typeof ownServices>;

/**
 * What the example does beside the requests: the payments.
 * @param paid what is answered for the order that a payment has ended with
 */
export function ownServices(
  { client, statements, now, idempotency, jobs, ownedByAccounts, environment, production }: PlatformServices,
  paid: (order: Order) => object,
) {
  const gateway = paymentGateway(environment(variables), production);
  const announce: PaymentsDependencies['announce'] = (db, at) => jobs.announce(db, PAYMENTS, at);
  const wake = () => jobs.wake(PAYMENTS);
  const payments = paymentsService({ client, statements, gateway, idempotency, answer: paid, now, announce, wake });
  jobs.add([paymentJob(payments)]);
  ownedByAccounts(belongings);
  return { payments };
}
