/** The example without accounts: everybody may read and write orders. @module */

import type * as Contract from '../../generated/operations.js';
import { application } from '../../src/application/application.js';
import { Failure } from '../../src/application/calls.js';
import { Order } from '../../src/application/models.js';
import { hrefOfOrder, representOrder } from '../../src/application/rest/representations.js';
import { requireTransition } from '../../src/application/services/order-states.js';
import type { Money } from '../../src/application/services/orders.js';
import type { Application } from '../../src/platform/core/application.js';
import { type Listing, pageOf } from '../../src/platform/core/calls/rows.js';
import {
  type ApplicationPlatform,
  type Call,
  type Db,
  type HandlerServices,
  type PageRequest,
  type Context as PlatformContext,
  replies,
} from '../../src/platform/index.js';

/** The operations on orders that need no account, once a list contains the orders of all. */
export const PUBLIC_OPERATIONS = ['listOrders', 'createOrder', 'getOrder', 'cancelOrder'];

const { ok, created, listed } = replies<Order, Contract.Order>({ represent: representOrder, href: hrefOfOrder });

/** The column is required, and refers to no row. */
const NOBODY = 0;

const ordersService = ({ transact }: ApplicationPlatform) => {
  async function find(db: Db, id: number): Promise<Order> {
    const order = await db.order.findFirst({ where: { id } });
    if (!order) throw new Failure('NOT_FOUND', `There is no order ${id}.`);
    return order;
  }
  return {
    get: (id: number) => transact((db) => find(db, id)),
    list: (page: PageRequest) =>
      transact((db) => {
        const listing: Listing<Order> = {
          rows: ({ ids, order, ...range }) =>
            db.order.findMany({ where: { id: ids }, orderBy: { id: order }, ...range }),
          count: () => db.order.count(),
        };
        return pageOf(page, listing);
      }),
    create: ({ enforce }: Call, { amount, currency }: Money) =>
      transact(async (db) => {
        await enforce();
        return db.order.create({ data: { userId: NOBODY, amount, currency } });
      }),
    cancel: ({ enforce }: Call, id: number) =>
      transact(async (db) => {
        requireTransition((await find(db, id)).status, 'cancel');
        await enforce();
        return db.order.update({ where: { id }, data: { status: 'CANCELLED' } });
      }),
  };
};

type Context = PlatformContext<HandlerServices<[]> & { orders: ReturnType<typeof ordersService> }>;

interface Request {
  path: { order_id: number };
  query: object;
  headers: Record<string, string | undefined>;
  body: { total: Money };
}

/** Calls a service, and represents its result. */
const replied =
  <Result>(
    work: (orders: Context['services']['orders'], request: Request, context: Context) => Promise<Result>,
    reply: (result: Result, context: Parameters<typeof listed>[1]) => object,
  ) =>
  async (request: Request, context: Context) => {
    const { page, pathname, prefix, services } = context;
    const result = await work(services.orders, request, context);
    const { query, headers } = request;
    return reply(result, { page, pathname, prefix, query, headers, cursors: services.cursors });
  };

const orders = {
  listOrders: replied((orders, _request, { page }) => orders.list(page), listed),
  createOrder: replied((orders, { body }, { call }) => orders.create(call, body.total), created),
  getOrder: replied((orders, { path }) => orders.get(path.order_id), ok),
  cancelOrder: replied((orders, { path }, { call }) => orders.cancel(call, path.order_id), ok),
};

const { platform } = application.handlers as Record<string, object>;

/** What the example without accounts has instead. Its contract states no permission, so the policy is empty. */
export const publicOrders: Pick<Application, 'policy' | 'handlers' | 'resolvers' | 'models' | 'services'> = {
  policy: {},
  handlers: { orders, platform },
  resolvers: {},
  models: [Order],
  services: (platform) => ({ orders: ordersService(platform) }),
};
