import type * as Contract from '../../../generated/operations.js';
import { preference, representPage, resourceTag } from '../../platform/index.js';
import type { Order } from '../services/orders.js';
import { hrefOfOrder, paid, representOrder } from './representations.js';

export const listOrders: Contract.ListOrders = async ({ path, query }, { call, services, page, pathname }) => {
  const orders = await services.orders.list(call, path.user_id, page);
  return {
    status: 200,
    ...representPage(page, orders, { pathname, query, cursors: services.cursors, represent: representOrder }),
  };
};

export const createOrder: Contract.CreateOrder = ({ path, body }, { call, services }) =>
  services.orders.create(call, path.user_id, body.total, created);

export const getUserOrder: Contract.GetUserOrder = async ({ path }, { call, services }) => {
  const order = await services.orders.getOfUser(call, path.user_id, path.order_id);
  return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order) };
};

export const getOrder: Contract.GetOrder = async ({ path }, { call, services }) => {
  const order = await services.orders.get(call, path.order_id);
  return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order) };
};

export const cancelOrder: Contract.CancelOrder = async ({ path }, { call, services }) => {
  const order = await services.orders.cancel(call, path.order_id);
  return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order) };
};

export const payOrder: Contract.PayOrder = ({ path, headers, body }, { call, services }) => {
  const background = preference(headers.prefer, 'respond-async') !== undefined;
  return services.orders.pay(call, path.order_id, { token: body?.payment_token, background }, paid);
};

const created = (order: Order) =>
  ({
    status: 201,
    headers: { location: hrefOfOrder(order.id), etag: resourceTag(order) },
    body: representOrder(order),
  }) as const;
