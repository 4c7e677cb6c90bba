import type { ApplicationPlatform, Db } from '@accord-api/platform';
import type { PaymentStatus } from '../../../../generated/prisma/client.js';
import { Failure } from '../../calls.js';
import type { Order } from '../../models.js';
import { transitions } from '../order-states.js';
import type { Outcome, PaymentGateway } from './gateway.js';
import { type Attempt, faultOf, verdict } from './verdict.js';

/**
 * Milliseconds for which an attempt keeps others away. Longer than any gateway takes; after a crash somebody else asks again,
 * under the same key.
 */
const LEASE_MS = 15_000;
/** Milliseconds before the second attempt; doubled for each further one, up to the most. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;

export interface PaymentsDependencies extends Pick<ApplicationPlatform, 'transact' | 'continuation' | 'now'> {
  /** Absent in production without PAYMENT_URL. */
  gateway: PaymentGateway | undefined;
  /** What is answered for the order that a payment has ended with. */
  answer: (order: Order) => object;
  /** Tells all instances, with the transaction, that a payment is due at this time. */
  announce: (db: Db, at: number) => Promise<void>;
  /** Looks for due payments now. */
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
  transact,
  continuation,
  gateway,
  answer,
  now,
  announce,
  wake,
}: PaymentsDependencies) {
  const inMs = (ms: number) => new Date(now() + ms);

  function askAgain({ id, attempts, wasUncertain }: Attempt, outcome: Outcome): Promise<unknown> {
    const backoff = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (attempts - 1));
    const data = { dueAt: inMs(backoff), uncertain: wasUncertain || outcome.kind === 'unknown' };
    return transact((db) => db.payment.updateMany({ where: { id, status: 'OPEN', attempts }, data }));
  }

  /**
   * Ends the payment, its order's state and its idempotency key in one transaction; whoever comes first decides. The gateway's
   * word counts whoever heard it; that an attempt failed counts only while no other one has begun.
   */
  const conclude = ({ id, attempts }: Attempt, status: keyof typeof orderAfter): Promise<Conclusion> =>
    transact(async (db) => {
      const open = { id, status: 'OPEN' as const, ...(status === 'FAILED' && { attempts }) };
      const { count } = await db.payment.updateMany({ where: open, data: { status, token: null } });
      const payment = await db.payment.findUniqueOrThrow({ where: { id }, include: { order: true } });
      if (count === 0) return payment;
      const order = await db.order.update({ where: { id: payment.orderId }, data: { status: orderAfter[status] } });
      if (status === 'SETTLED') await continuation.finish(db, id, answer(order), order.userId);
      else await continuation.abandon(db, id);
      return { status, order };
    });

  /**
   * Takes the payment that has been due longest, for as long as the lease lasts. The number of attempts decides between instances
   * that take the same one. The row is marked uncertain before the gateway is asked: a crash leaves no other trace of the attempt.
   */
  async function takeDue(): Promise<Attempt | undefined> {
    for (;;) {
      const taken = await transact(async (db) => {
        const where = { status: 'OPEN', dueAt: { lte: new Date(now()) } } as const;
        const due = await db.payment.findFirst({ where, orderBy: { dueAt: 'asc' }, include: { order: true } });
        if (!due) return 'none';
        const { id, orderId, token, order, uncertain: wasUncertain } = due;
        const attempts = due.attempts + 1;
        const { count } = await db.payment.updateMany({
          where: { id, status: 'OPEN', attempts: due.attempts },
          data: { dueAt: inMs(LEASE_MS), attempts, uncertain: true },
        });
        const { amount, currency } = order;
        return count === 1 ? { id, orderId, token, amount, currency, attempts, wasUncertain } : 'taken';
      });
      if (taken === 'none') return undefined;
      if (taken !== 'taken') return taken;
    }
  }

  /** When a payment is due next, in milliseconds since the epoch; undefined where none is open. */
  const nextDue = () =>
    transact(async (db) => {
      const next = { where: { status: 'OPEN' }, orderBy: { dueAt: 'asc' }, select: { dueAt: true } } as const;
      return (await db.payment.findFirst(next))?.dueAt.getTime();
    });

  const ask = (attempt: Attempt, signal: AbortSignal): Promise<Outcome> =>
    gateway?.pay(attempt, signal) ?? Promise.resolve({ kind: 'failed', retryable: true, reason: 'there is none' });

  /** Stores a payment of an order that `db` has just moved to PROCESSING. */
  async function store(db: Db, { id: orderId }: Order, token: string | undefined, dueAt: Date, attempt: object = {}) {
    await announce(db, dueAt.getTime());
    const data = { orderId, token: token ?? null, dueAt, ...attempt };
    return db.payment.create({ data, select: { id: true, orderId: true, token: true, attempts: true } });
  }

  return {
    /** Whether there is a gateway. */
    available: gateway !== undefined,
    wake,

    /**
     * Stores a payment for `settle`, whose attempt begins at once.
     * @param id that of the work which the request has begun
     */
    async begin(db: Db, order: Order, token: string | undefined, id: string): Promise<Attempt> {
      const { amount, currency } = order;
      const stored = await store(db, order, token, inMs(LEASE_MS), { id, attempts: 1, uncertain: true });
      return { ...stored, amount, currency, wasUncertain: false };
    },

    /** Stores a payment for the background. */
    async enqueue(db: Db, order: Order, token: string | undefined): Promise<void> {
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
      const attempt = await takeDue();
      if (!attempt) return nextDue();
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
