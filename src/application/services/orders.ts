import type { Db, Operation } from '@accord-api/platform';
import { Failure } from '../calls.js';
import type { Order, User } from '../models.js';
import { type OrderAction, requireTransition, transitions } from './order-states.js';
import type { Payments } from './payments/payments.js';

/** An amount in minor units, and an ISO 4217 code. */
export interface Money {
  amount: number;
  currency: string;
}

interface PaymentRequest {
  /** The token that the gateway gave the client for this payment. */
  token: string | undefined;
  /** True to answer before the gateway decides. */
  background: boolean;
}

export const ordersService = (payments: Payments) => ({
  create: (db: Db, user: User, { amount, currency }: Money) =>
    db.order.create({ data: { userId: user.id, amount, currency } }),

  /** @throws Failure CONFLICT for an order that is not pending */
  cancel: (db: Db, order: Order) => transition(db, order, 'cancel'),

  /**
   * @throws Failure CONFLICT for an order that is not pending; PAYMENT_DECLINED, BAD_GATEWAY, GATEWAY_TIMEOUT;
   * UNAVAILABLE for too many calls; NOT_IMPLEMENTED without a gateway
   */
  async pay(
    { db, enforce, trace, workId, afterCommit, onCommit }: Omit<Operation, 'record' | 'services'>,
    order: Order,
    { token, background }: PaymentRequest,
  ): Promise<Order> {
    requireTransition(order.status, 'pay');
    await enforce();
    if (!payments.available) throw new Failure('NOT_IMPLEMENTED', 'Payment is not available in this installation.');
    const processing = await transition(db, order, 'pay');
    if (background) {
      await payments.enqueue(db, processing, token);
      onCommit(payments.wake);
      return processing;
    }
    const attempt = await payments.begin(db, processing, token, workId);
    return afterCommit(() => payments.settle({ ...attempt, trace }));
  },
});

function transition(db: Db, { id, status }: Order, action: OrderAction) {
  requireTransition(status, action);
  return db.order.update({ where: { id }, data: { status: transitions.PENDING[action] } });
}
