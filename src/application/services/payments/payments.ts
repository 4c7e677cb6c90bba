import type { ApplicationPlatform, Db } from '@accord-api/platform';
import type { PaymentStatus } from '../../../../generated/prisma/client.js';
import { Failure } from '../../calls.js';
import type { Order } from '../../models.js';
import { transitions } from '../order-states.js';
import type { Outcome, PaymentGateway, PaymentOrder } from './gateway.js';

/** Milliseconds for which an attempt reserves its payment: longer than any gateway takes. */
const LEASE_MS = 15_000;
/** Milliseconds before the second attempt. Each further attempt doubles them, up to `MAX_BACKOFF_MS`. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;
/** Failed attempts after which the background job gives up. */
const MAX_ATTEMPTS = 6;

interface Attempt extends PaymentOrder {
  attempts: number;
  /** True if an earlier attempt may have taken the payment. */
  wasUncertain: boolean;
}

interface PaymentsDependencies extends Pick<ApplicationPlatform, 'transact' | 'continuation' | 'now'> {
  /** Absent in production without PAYMENT_URL. */
  gateway: PaymentGateway | undefined;
  /** Returns the response body of a paid order, for retries of the request. */
  represent: (order: Order) => object;
  /** Announces a due payment to all instances when the transaction commits. @param at milliseconds since the epoch */
  announce: (db: Db, at: number) => Promise<void>;
  /** Starts a search for due payments. */
  wake: () => void;
}

/** The status of the order after each final status of its payment. */
const orderStatusAfter = {
  SETTLED: transitions.PROCESSING.settle,
  DECLINED: transitions.PROCESSING.release,
  FAILED: transitions.PROCESSING.release,
} as const satisfies Record<Exclude<PaymentStatus, 'OPEN'>, Order['status']>;

const neverAborted = new AbortController().signal;

export type Payments = ReturnType<typeof paymentsService>;

/**
 * Stores a payment before it calls the gateway. The id of the payment is the idempotency key of the gateway, so a retry
 * after a crash does not charge twice.
 */
export function paymentsService({
  transact,
  continuation,
  gateway,
  represent,
  now,
  announce,
  wake,
}: PaymentsDependencies) {
  const inMs = (ms: number) => new Date(now() + ms);

  function scheduleRetry({ id, attempts, wasUncertain }: Attempt, outcome: Outcome): Promise<unknown> {
    const backoff = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (attempts - 1));
    const data = { dueAt: inMs(backoff), uncertain: wasUncertain || outcome.kind === 'unknown' };
    return transact((db) => db.payment.updateMany({ where: { id, status: 'OPEN', attempts }, data }));
  }

  /**
   * Updates the payment, its order and its idempotency key in one transaction. FAILED has no effect if another attempt
   * has begun.
   */
  const conclude = ({ id, attempts }: Attempt, status: keyof typeof orderStatusAfter): Promise<Conclusion> =>
    transact(async (db) => {
      const open = { id, status: 'OPEN' as const, ...(status === 'FAILED' && { attempts }) };
      const { count } = await db.payment.updateMany({ where: open, data: { status, token: null } });
      const payment = await db.payment.findUniqueOrThrow({ where: { id }, include: { order: true } });
      if (count === 0) return payment;
      const order = await db.order.update({
        where: { id: payment.orderId },
        data: { status: orderStatusAfter[status] },
      });
      if (status === 'SETTLED') await continuation.finish(db, id, represent(order), order.userId);
      else await continuation.abandon(db, id);
      return { status, order };
    });

  /**
   * Leases the payment that has been due longest. `attempts` is the optimistic lock between instances. Sets `uncertain`
   * first, because a crash could not set it.
   */
  async function leaseDuePayment(): Promise<Attempt | undefined> {
    for (;;) {
      const lease = await transact(async (db) => {
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
      if (lease === 'none') return undefined;
      if (lease !== 'taken') return lease;
    }
  }

  /** Milliseconds since the epoch; undefined if no payment is open. */
  const nextDueTime = () =>
    transact(async (db) => {
      const next = { where: { status: 'OPEN' }, orderBy: { dueAt: 'asc' }, select: { dueAt: true } } as const;
      return (await db.payment.findFirst(next))?.dueAt.getTime();
    });

  const callGateway = (attempt: Attempt, signal: AbortSignal): Promise<Outcome> =>
    gateway?.pay(attempt, signal) ?? Promise.resolve({ kind: 'failed', retryable: true, reason: 'no gateway' });

  /** Stores a payment of an order that `db` has just set to PROCESSING. */
  async function store(db: Db, { id: orderId }: Order, token: string | undefined, dueAt: Date, attempt: object = {}) {
    await announce(db, dueAt.getTime());
    const data = { orderId, token: token ?? null, dueAt, ...attempt };
    return db.payment.create({ data, select: { id: true, orderId: true, token: true, attempts: true } });
  }

  return {
    /** True if there is a gateway. */
    available: gateway !== undefined,
    wake,

    /** Stores a payment that the caller settles next. @param id the `workId` of the request */
    async begin(db: Db, order: Order, token: string | undefined, id: string): Promise<Attempt> {
      const { amount, currency } = order;
      const stored = await store(db, order, token, inMs(LEASE_MS), { id, attempts: 1, uncertain: true });
      return { ...stored, amount, currency, wasUncertain: false };
    },

    async enqueue(db: Db, order: Order, token: string | undefined): Promise<void> {
      await store(db, order, token, inMs(0));
    },

    /**
     * Asks the gateway while the caller waits. If the outcome is unknown, the background continues.
     * @throws Failure PAYMENT_DECLINED, BAD_GATEWAY, GATEWAY_TIMEOUT, UNAVAILABLE for too many calls
     */
    async settle(attempt: Attempt): Promise<Order> {
      const outcome = await callGateway(attempt, neverAborted);
      const status = nextStatus(outcome, attempt, false);
      if (status === 'OPEN') await scheduleRetry(attempt, outcome);
      const end = status === 'OPEN' ? undefined : await conclude(attempt, status);
      if (end?.status === 'SETTLED') return end.order;
      if (end?.status === 'DECLINED') throw new Failure('PAYMENT_DECLINED', 'The payment was declined.');
      throw gatewayFailure(outcome);
    },

    /**
     * @param onPaymentDue is called if a payment was due, because others may be due
     * @returns when to search again, in milliseconds since the epoch; undefined if no payment is open
     */
    async settleOne(signal: AbortSignal, onPaymentDue: () => void): Promise<number | undefined> {
      const attempt = await leaseDuePayment();
      if (!attempt) return nextDueTime();
      onPaymentDue();
      const outcome = await callGateway(attempt, signal);
      const status = nextStatus(outcome, attempt, true);
      if (status === 'OPEN') await scheduleRetry(attempt, outcome);
      else await conclude(attempt, status);
      return now();
    },
  };
}

interface Conclusion {
  status: PaymentStatus;
  order: Order;
}

/**
 * Returns the status of a payment after an attempt. OPEN requires another attempt.
 * @param background true if no caller waits, so that a failing gateway can be asked again later
 */
function nextStatus(outcome: Outcome, { attempts, wasUncertain }: Attempt, background: boolean): PaymentStatus {
  if (outcome.kind === 'settled') return 'SETTLED';
  if (outcome.kind === 'declined') return 'DECLINED';
  if (outcome.kind === 'unknown' || wasUncertain) return 'OPEN';
  return background && outcome.retryable && attempts < MAX_ATTEMPTS ? 'OPEN' : 'FAILED';
}

/** Returns the failure for a caller whose payment has no final outcome yet. */
function gatewayFailure(outcome: Outcome): Failure {
  const cause = 'reason' in outcome ? outcome.reason : undefined;
  if (outcome.kind === 'unknown' && outcome.timedOut) {
    return new Failure('GATEWAY_TIMEOUT', 'The payment gateway took too long; the order shows how the payment ends.', {
      cause,
    });
  }
  if (outcome.kind === 'failed' && outcome.failure) return outcome.failure;
  const known = outcome.kind === 'failed' ? 'nothing was taken' : 'the order shows how the payment ends';
  return new Failure('BAD_GATEWAY', `The payment gateway failed; ${known}.`, { cause });
}
