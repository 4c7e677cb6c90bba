import { preference, representPage, resourceTag } from 'accord';
import * as Contract from '../../../generated/operations.js';
import type { Order } from '../services/orders.js';
import { hrefOfOrder, paid, representOrder } from './representations.js';

export const orders = Contract.ordersHandlers({
  listOrders: async ({ path, query }, { call, services, page, pathname, prefix }) => {
    const orders = await services.orders.list(call, path.user_id, page);
    return {
      status: 200,
      ...representPage(page, orders, {
        pathname,
        query,
        cursors: services.cursors,
        represent: (order) => representOrder(order, prefix),
      }),
    };
  },

  createOrder: ({ path, body }, { call, services, prefix }) =>
    services.orders.create(call, path.user_id, body.total, (order) => created(order, prefix)),

  getUserOrder: async ({ path }, { call, services, prefix }) => {
    const order = await services.orders.getOfUser(call, path.user_id, path.order_id);
    return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order, prefix) };
  },

  getOrder: async ({ path }, { call, services, prefix }) => {
    const order = await services.orders.get(call, path.order_id);
    return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order, prefix) };
  },

  cancelOrder: async ({ path }, { call, services, prefix }) => {
    const order = await services.orders.cancel(call, path.order_id);
    return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order, prefix) };
  },

  payOrder: ({ path, headers, body }, { call, services, prefix }) => {
    const background = preference(headers.prefer, 'respond-async') !== undefined;
    const wish = { token: body?.payment_token, background };
    return services.orders.pay(call, path.order_id, wish, (order) => paid(order, prefix));
  },
});

const created = (order: Order, prefix: string) =>
  ({
    status: 201,
    headers: { location: hrefOfOrder(order.id, prefix), etag: resourceTag(order) },
    body: representOrder(order, prefix),
  }) as const;
