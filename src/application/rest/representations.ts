import type * as Contract from '../../../generated/operations.js';
import type { Role } from '../../../generated/policy.js';
import { resourceTag, type User } from '../../platform/index.js';
import { actionsOf, type OrderAction } from '../services/order-states.js';
import type { Order } from '../services/orders.js';

/** Roles are lower case on REST and upper case everywhere else. */
export const toRole = (role: Contract.Role): Role => role.toUpperCase() as Uppercase<Contract.Role>;

export const hrefOfUser = (id: number): string => `/api/v1/users/${id}`;

export const representUser = ({ id, name, email, role, createdAt }: User): Contract.User => ({
  id,
  name,
  email,
  role: role.toLowerCase() as Contract.User['role'],
  createdAt: createdAt.toISOString(),
  _links: { self: { href: hrefOfUser(id) }, orders: { href: `${hrefOfUser(id)}/orders` } },
});

export const hrefOfOrder = (id: number): string => `/api/v1/orders/${id}`;

/** The noun under an order at which each action is posted. */
const nounOf: Record<OrderAction, string> = { cancel: 'cancel', pay: 'payment' };

/** The links are those of the state table, so none is offered that would fail. */
export function representOrder({ id, status, amount, currency, createdAt }: Order): Contract.Order {
  const self = { href: hrefOfOrder(id) };
  const offered = actionsOf(status).map((action) => [
    action,
    { href: `${self.href}/${nounOf[action]}`, method: 'POST' as const },
  ]);
  return {
    id,
    status: status.toLowerCase() as Contract.Order['status'],
    total: { amount, currency },
    createdAt: createdAt.toISOString(),
    _links: { self, ...Object.fromEntries(offered) },
  };
}

/** What a payment is answered, whether it has ended or is under way; also the later answer to one that nobody waited for. */
export function paid(order: Order) {
  const [etag, body] = [resourceTag(order), representOrder(order)];
  if (order.status !== 'PROCESSING') return { status: 200, headers: { etag }, body } as const;
  const accepted = { location: hrefOfOrder(order.id), etag, 'preference-applied': 'respond-async' } as const;
  return { status: 202, headers: accepted, body } as const;
}
