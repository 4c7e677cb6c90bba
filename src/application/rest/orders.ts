import { create, list, preference, record, replies } from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import { Order, User } from '../models.js';
import { route } from '../routes.js';
import { hrefOfOrder, paid, representOrder } from './representations.js';

const { ok, created, listed } = replies<Order, Contract.Order>({ represent: representOrder, href: hrefOfOrder });
const user = record(User, 'user_id');
const order = record(Order, 'order_id');

export const orders = Contract.ordersHandlers({
  listOrders: route({ target: list(Order, { of: user }), reply: listed }),

  createOrder: route({
    target: create(Order, { of: user }),
    handler: ({ body }, { db, record: user, services }) => services.orders.create(db, user, body.total),
    reply: created,
  }),

  getUserOrder: route({ target: record(Order, 'order_id', { of: user }), reply: ok }),

  getOrder: route({ target: order, reply: ok }),

  cancelOrder: route({
    target: order,
    handler: (_request, { db, record: order, services }) => services.orders.cancel(db, order),
    reply: ok,
  }),

  payOrder: route({
    target: order,
    handler({ headers, body }, { record: order, services, ...operation }) {
      const background = preference(headers.prefer, 'respond-async') !== undefined;
      return services.orders.pay(operation, order, { token: body?.payment_token, background });
    },
    reply: (order, { prefix }) => paid(order, prefix),
  }),
});
