import { asNextVersion, type Idempotency, type Statements } from 'accord';
import type { PaymentStatus, Prisma, PrismaClient } from '../../../../generated/prisma/client.js';
import { Failure } from '../../calls.js';
import type { Order } from '../../models.js';
import { transitions } from '../order-states.js';
import type { Outcome, PaymentGateway } from './gateway.js';
import { type Attempt, faultOf, verdict } from './verdict.js';
import { nextDue, takeDue } from './work-list.js';

type Transaction = Prisma.TransactionClient;

/**
 * Milliseconds for which an attempt keeps others away. Longer than any gateway takes; after a crash somebody else asks
 * again, under the same key.
 */
const LEASE = 15_000;
/** Milliseconds before the second attempt; doubled for each further one, up to the most. */
const BACKOFF = 500;
const MOST_BACKOFF = 60_000;

export interface PaymentsDependencies {
  client: PrismaClient;
  statements: Statements;
  /** Absent in production without PAYMENT_URL. */
  gateway: PaymentGateway | undefined;
  idempotency: Pick<Idempotency, 'finish' | 'abandon'>;
  /** What is answered for the order that a payment has ended with. */
  answer: (order: Order) => object;
  now: () => number;
  /** Tells all instances, with the transaction, that a payment is due at this time. */
  announce: (db: Transaction, at: number) => Promise<void>;
  wake: () => void;
}

/** Where each end of a payment leads the order. */
const orderAfter = {
  SETTLED: transitions.PROCESSING.settle,
  DECLINED: transitions.PROCESSING.release,
  FAILED: transitions.PROCESSING.release,
} as const satisfies Record<Exclude<PaymentStatus, 'OPEN'>, Order['status']>;

const never = new AbortController().signal;

export type Payments = ReturnType<typeof paymentsService>;

/**
 * Payments of claimed orders. The payment is stored before the gateway is asked, and its id is the gateway's idempotency
 * key; so whatever crashes in between, asking again under the same id tells how it ended, and takes nothing twice.
 */
export function paymentsService({
  client,
  statements,
  gateway,
  idempotency,
  answer,
  now,
  announce,
  wake,
}: PaymentsDependencies) {
  const inMs = (ms: number) => new Date(now() + ms);

  async function askAgain({ id, attempts, wasUncertain }: Attempt, outcome: Outcome): Promise<void> {
    const backoff = Math.min(MOST_BACKOFF, BACKOFF * 2 ** (attempts - 1));
    const data = { dueAt: inMs(backoff), uncertain: wasUncertain || outcome.kind === 'unknown' };
    await client.payment.updateMany({ where: { id, status: 'OPEN', attempts }, data });
  }

  /**
   * Ends the payment, its order's state and its idempotency key in one transaction; whoever comes first decides. The
   * gateway's word counts whoever heard it; that an attempt failed counts only while no other one has begun.
   */
  const conclude = ({ id, attempts }: Attempt, status: keyof typeof orderAfter): Promise<Conclusion> =>
    client.$transaction(async (db) => {
      const open = { id, status: 'OPEN' as const, ...(status === 'FAILED' && { attempts }) };
      const { count } = await db.payment.updateMany({ where: open, data: { status, token: null } });
      const payment = await db.payment.findUniqueOrThrow({
        where: { id },
        include: { order: true },
      });
      if (count === 0) return payment;
      const order = await db.order.update({
        where: { id: payment.orderId },
        data: asNextVersion({ status: orderAfter[status] }),
      });
      if (status === 'SETTLED') await idempotency.finish(db, id, answer(order), order.userId);
      else await idempotency.abandon(db, id);
      return { status, order };
    });

  const ask = (attempt: Attempt, signal: AbortSignal): Promise<Outcome> =>
    gateway?.pay(attempt, signal) ?? Promise.resolve({ kind: 'failed', retryable: true, reason: 'there is none' });

  /** A new payment of an order that `db` has just moved to PROCESSING. */
  async function store(
    db: Transaction,
    { id: orderId }: Order,
    token: string | undefined,
    dueAt: Date,
    attempt: Partial<Prisma.PaymentUncheckedCreateInput> = {},
  ) {
    await announce(db, dueAt.getTime());
    return db.payment.create({
      data: { orderId, token: token ?? null, dueAt, ...attempt },
      select: { id: true, orderId: true, token: true, attempts: true },
    });
  }

  return {
    /** Looks for payments in the background. */
    wake,

    /** @throws Failure NOT_IMPLEMENTED where there is no gateway */
    refuseUnlessAvailable(): void {
      if (!gateway) throw new Failure('NOT_IMPLEMENTED', 'Payment is not available in this installation.');
    },

    /**
     * Stores a payment for `settle`, whose attempt begins at once.
     * @param id that of the work which the request has begun
     */
    async begin(db: Transaction, order: Order, token: string | undefined, id: string): Promise<Attempt> {
      const { amount, currency } = order;
      const stored = await store(db, order, token, inMs(LEASE), { id, attempts: 1, uncertain: true });
      return { ...stored, amount, currency, wasUncertain: false };
    },

    /** Stores a payment for the background. */
    async enqueue(db: Transaction, order: Order, token: string | undefined): Promise<void> {
      await store(db, order, token, inMs(0));
    },

    /**
     * Asks the gateway, for a caller who waits.
     * @returns the paid order
     * @throws Failure PAYMENT_DECLINED, BAD_GATEWAY, GATEWAY_TIMEOUT; while the end is not known the order stays
     *   PROCESSING, and the background asks on
     */
    async settle(attempt: Attempt): Promise<Order> {
      const outcome = await ask(attempt, never);
      const status = verdict(outcome, attempt, false);
      if (status === 'OPEN') await askAgain(attempt, outcome);
      const end = status === 'OPEN' ? undefined : await conclude(attempt, status);
      if (end?.status === 'SETTLED') return end.order;
      if (end?.status === 'DECLINED') throw new Failure('PAYMENT_DECLINED', 'The payment was declined.');
      throw faultOf(outcome);
    },

    /**
     * Attempts one payment of the background, if one is due.
     * @param more is called then: others may be due
     * @returns when to look again, in milliseconds since the epoch; undefined where no payment is open
     */
    async settleOne(signal: AbortSignal, more: () => void): Promise<number | undefined> {
      const attempt = await takeDue(statements, new Date(now()), inMs(LEASE));
      if (!attempt) return nextDue(statements);
      more();
      const outcome = await ask(attempt, signal);
      const status = verdict(outcome, attempt, true);
      if (status === 'OPEN') await askAgain(attempt, outcome);
      else await conclude(attempt, status);
      return now();
    },
  };
}

interface Conclusion {
  status: PaymentStatus;
  order: Order;
}
