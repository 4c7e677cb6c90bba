import { authenticated, authorise, type Idempotency, type Page, type PageRequest, type Sql, writing } from 'accord';
import type { Action } from '../../../generated/policy.js';
import { type Call, Failure } from '../calls.js';
import { type Order, type OrderRowsDependencies, orderRows } from './order-rows.js';
import { type OrderAction, refusedIn, refuseUnlessOffered, transitions } from './order-states.js';
import type { Payments } from './payments/payments.js';

export type { Order } from './order-rows.js';

/** Minor units, and the code of ISO 4217. */
export interface Money {
  amount: number;
  currency: string;
}

export interface PaymentWish {
  /** What the gateway gave the client for this payment. */
  token?: string | undefined;
  /** Whether to answer while the payment is under way. */
  background: boolean;
}

interface OrdersDependencies extends OrderRowsDependencies {
  idempotency: Pick<Idempotency, 'once'>;
  payments: Payments;
  /** Called when a payment waits for the background. */
  wakePayments: () => void;
}

const ownerOf = ({ userId }: Order): number => userId;

/** Orders, and who may do what to them and when. Every method takes the call first. */
export function ordersService({ client, statements, now, idempotency, payments, wakePayments }: OrdersDependencies) {
  const rows = orderRows({ client, statements, now });

  /** By the owner of an order that exists; whether it does is told to who is known (docs/decisions.md, "Failures"). */
  async function authoriseOwner(call: Call, action: Action, id: number): Promise<void> {
    authenticated(call);
    const order = await rows.find(id);
    if (order) authorise(call, action, order.userId);
  }

  /** Moves the order on from PENDING. One of many that try at once succeeds. */
  async function move(db: Sql, id: number, action: OrderAction): Promise<Order> {
    const moved = await rows.moveIn(db, id, transitions.PENDING[action]);
    if (moved) return moved;
    throw refusedIn((await rows.loadIn(db, id)).status, action);
  }

  return {
    /** A page of a user's orders by ascending id. */
    async list(call: Call, userId: number, page: PageRequest): Promise<Page<Order>> {
      authorise(call, 'orders.list', userId);
      await rows.requireUser(userId);
      await call.checkpoint();
      return rows.page(userId, page);
    },

    /**
     * @param answer what is answered; see `Answering`
     * @throws Failure NOT_FOUND, or GONE for a user who was deleted
     */
    async create<Answer extends object>(
      call: Call,
      userId: number,
      total: Money,
      answer: (order: Order) => Answer,
    ): Promise<Answer> {
      authorise(call, 'orders.create', userId);
      return idempotency.once(call, { answer, ownerOf }, async ({ inOneStatement }) => {
        await rows.requireUser(userId);
        await call.checkpoint();
        const deed = { action: 'orders.create', owner: userId } as const;
        return inOneStatement(deed, rows.placed, userId, total.amount, total.currency);
      });
    },

    /** By the path of its user: the order of another one is NOT_FOUND there, whoever asks. */
    async getOfUser(call: Call, userId: number, id: number): Promise<Order> {
      authorise(call, 'orders.read', userId);
      const [order] = await Promise.all([rows.find(id), rows.requireUser(userId)]);
      if (order?.userId !== userId) throw new Failure('NOT_FOUND', 'This user has no such order.');
      await call.checkpoint();
      return order;
    },

    /** @throws Failure NOT_FOUND, GONE, FORBIDDEN for another user's order */
    async get(call: Call, id: number): Promise<Order> {
      authenticated(call);
      const order = await rows.load(id);
      authorise(call, 'orders.read', order.userId);
      await call.checkpoint();
      return order;
    },

    /** @throws Failure NOT_FOUND, GONE, FORBIDDEN, CONFLICT for an order that is not pending */
    async cancel(call: Call, id: number): Promise<Order> {
      await authoriseOwner(call, 'orders.cancel', id);
      const { status, userId } = await rows.load(id);
      refuseUnlessOffered(status, 'cancel');
      await call.checkpoint();
      return writing(statements, call, { action: 'orders.cancel', owner: userId }, (db) => move(db, id, 'cancel'));
    },

    /**
     * @param answer what is answered: for the paid order, or with `background` for the order in PROCESSING
     * @throws Failure NOT_FOUND, GONE, FORBIDDEN, CONFLICT, PAYMENT_DECLINED, BAD_GATEWAY, GATEWAY_TIMEOUT;
     *   NOT_IMPLEMENTED where there is no gateway
     */
    async pay<Answer extends object>(
      call: Call,
      id: number,
      { token, background }: PaymentWish,
      answer: (order: Order) => Answer,
    ): Promise<Answer> {
      await authoriseOwner(call, 'orders.pay', id);
      return idempotency.once(call, { answer, ownerOf }, async ({ effect, begin }) => {
        const order = await rows.load(id);
        refuseUnlessOffered(order.status, 'pay');
        await call.checkpoint();
        if (!payments.available) {
          throw new Failure('NOT_IMPLEMENTED', 'Payment is not available in this installation.');
        }
        // Held with the owner, whose deletion looks for orders that are being paid.
        const deed = { action: 'orders.pay', owner: order.userId } as const;
        if (!background) {
          const attempt = await begin(deed, async (db, paymentId) =>
            payments.begin(db, await move(db, id, 'pay'), token, paymentId),
          );
          return payments.settle(attempt);
        }
        const claimed = await effect(deed, async (db) => {
          const processing = await move(db, id, 'pay');
          await payments.enqueue(db, processing, token);
          return processing;
        });
        wakePayments();
        return claimed;
      });
    },
  };
}
