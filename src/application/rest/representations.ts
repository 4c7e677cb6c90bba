import { replies, resourceTag } from '@accord-api/platform';
import type * as Contract from '../../../generated/operations.js';
import type { Role } from '../../../generated/policy.js';
import type { Order, User } from '../models.js';
import { actionsOf, type OrderAction } from '../services/order-states.js';

/** Roles are lower case on REST and upper case everywhere else. */
export const toRole = (role: Contract.Role): Role => role.toUpperCase() as Uppercase<Contract.Role>;

/** @param prefix the address prefix of the requested version, such as `/api/v1` */
export const hrefOfUser = (id: number, prefix: string): string => `${prefix}/users/${id}`;

export const representUser = ({ id, name, email, role, createdAt }: User, prefix: string): Contract.User => ({
  id,
  name,
  email,
  role: role.toLowerCase() as Contract.User['role'],
  createdAt: createdAt.toISOString(),
  _links: { self: { href: hrefOfUser(id, prefix) }, orders: { href: `${hrefOfUser(id, prefix)}/orders` } },
});

export const userReplies = replies<User, Contract.User>({ represent: representUser, href: hrefOfUser });

export const hrefOfOrder = (id: number, prefix: string): string => `${prefix}/orders/${id}`;

/** The noun under an order at which each action is posted. */
const nounOf: Record<OrderAction, string> = { cancel: 'cancel', pay: 'payment' };

/** The state table decides the links, so no link leads to a failing request. */
export function representOrder({ id, status, amount, currency, createdAt }: Order, prefix: string): Contract.Order {
  const self = { href: hrefOfOrder(id, prefix) };
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

/** The prefix of links in the answer to a payment that a job has settled, because no request names a version. */
const PAID_IN = '/api/v1';

/** Represents a payment, settled or in progress. A repetition of the request receives the same answer later. */
export function paid(order: Order, prefix: string = PAID_IN) {
  const [etag, body] = [resourceTag(order), representOrder(order, prefix)];
  if (order.status !== 'PROCESSING') return { status: 200, headers: { etag }, body } as const;
  const accepted = { location: hrefOfOrder(order.id, prefix), etag, 'preference-applied': 'respond-async' } as const;
  return { status: 202, headers: accepted, body } as const;
}
