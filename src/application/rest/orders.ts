import { create, list, preference, record, replies } from 'accord';
import { Order, User } from '../models.js';
import { type RoutesOf, route } from '../routes.js';
import { refuseUnlessOffered } from '../services/order-states.js';
import { hrefOfOrder, paid, representOrder } from './representations.js';

const { ok, created, listed } = replies<Order, ReturnType<typeof representOrder>>({
  represent: representOrder,
  href: hrefOfOrder,
});
const user = record(User, 'user_id');
const order = record(Order, 'order_id');

export const orders: RoutesOf<'orders'> = {
  listOrders: route({ target: list(Order, { of: user }), reply: listed }),

  createOrder: route({
    target: create(Order, { of: user }),
    handler: ({ body }, { db, record: { id: userId } }) => db.create(Order, { userId, ...body.total }),
    reply: created,
  }),

  getUserOrder: route({ target: record(Order, 'order_id', { of: user }), reply: ok }),

  getOrder: route({ target: order, reply: ok }),

  cancelOrder: route({
    target: order,
    handler: (_request, { db, record: order }) => {
      refuseUnlessOffered(order.status, 'cancel');
      return db.update(Order, order, { status: 'CANCELLED' });
    },
    reply: ok,
  }),

  payOrder: route({
    target: order,
    prisma: true,
    async handler({ headers, body }, { db, record: order, services: { payments } }) {
      refuseUnlessOffered(order.status, 'pay');
      await db.proceed();
      payments.refuseUnlessAvailable();
      const processing = await db.update(Order, order, { status: 'PROCESSING' });
      const token = body?.payment_token;
      if (preference(headers.prefer, 'respond-async') === undefined) {
        const attempt = await payments.begin(db.prisma, processing, token, db.workId);
        return db.afterCommit(() => payments.settle(attempt));
      }
      await payments.enqueue(db.prisma, processing, token);
      db.onCommit(payments.wake);
      return processing;
    },
    reply: (order, { prefix }) => paid(order, prefix),
  }),
};
