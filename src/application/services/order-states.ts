import type { OrderStatus } from '../../../generated/prisma/client.js';
import { Failure } from '../calls.js';

/** The actions that callers can request. `settle` and `release` end a payment: only the service performs them. */
const orderActions = ['cancel', 'pay'] as const;
export type OrderAction = (typeof orderActions)[number];
type Transition = OrderAction | 'settle' | 'release';

/**
 * The transitions from each state (docs/decisions.md, "Order states"). PROCESSING keeps an order from being paid or
 * cancelled again while the gateway decides.
 */
export const transitions = {
  PENDING: { cancel: 'CANCELLED', pay: 'PROCESSING' },
  PROCESSING: { settle: 'PAID', release: 'PENDING' },
  PAID: {},
  CANCELLED: {},
} as const satisfies Record<OrderStatus, Partial<Record<Transition, OrderStatus>>>;

/** Returns the actions that succeed in a state. */
export const actionsOf = (status: OrderStatus): OrderAction[] =>
  orderActions.filter((action) => action in transitions[status]);

const PARTICIPLES: Record<OrderAction, string> = { cancel: 'cancelled', pay: 'paid' };

/** @throws Failure CONFLICT if the state has no such transition */
export function requireTransition(status: OrderStatus, action: OrderAction): void {
  if (actionsOf(status).includes(action)) return;
  throw new Failure('CONFLICT', `The order is ${status.toLowerCase()} and cannot be ${PARTICIPLES[action]}.`);
}
