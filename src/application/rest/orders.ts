import type * as Contract from '../../../generated/operations.js';
import { preference, representPage, resourceTag } from '../../platform/index.js';
import { hrefOfOrder, representOrder } from './representations.js';

export const listOrders: Contract.ListOrders = async ({ path, query }, { call, services, page, pathname, prefix }) => {
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
};

export const createOrder: Contract.CreateOrder = async ({ path, body }, { call, services, prefix }) => {
  const order = await services.orders.create(call, path.user_id, body.total);
  const headers = { location: hrefOfOrder(order.id, prefix), etag: resourceTag(order) };
  return { status: 201, headers, body: representOrder(order, prefix) };
};

export const getUserOrder: Contract.GetUserOrder = async ({ path }, { call, services, prefix }) => {
  const order = await services.orders.getOfUser(call, path.user_id, path.order_id);
  return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order, prefix) };
};

export const getOrder: Contract.GetOrder = async ({ path }, { call, services, prefix }) => {
  const order = await services.orders.get(call, path.order_id);
  return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order, prefix) };
};

export const cancelOrder: Contract.CancelOrder = async ({ path }, { call, services, prefix }) => {
  const order = await services.orders.cancel(call, path.order_id);
  return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order, prefix) };
};

export const payOrder: Contract.PayOrder = async ({ path, headers, body }, { call, services, prefix }) => {
  const background = preference(headers.prefer, 'respond-async') !== undefined;
  const order = await services.orders.pay(call, path.order_id, { token: body?.payment_token, background });
  const etag = resourceTag(order);
  if (order.status !== 'PROCESSING') return { status: 200, headers: { etag }, body: representOrder(order, prefix) };
  const accepted = { location: hrefOfOrder(order.id, prefix), etag, 'preference-applied': 'respond-async' };
  return { status: 202, headers: accepted, body: representOrder(order, prefix) };
};
