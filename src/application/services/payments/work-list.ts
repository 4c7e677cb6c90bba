import type { PrismaClient } from '../../../../generated/prisma/client.js';
import type { Attempt } from './verdict.js';

/** When a payment is due next, in milliseconds since the epoch; undefined where none is open. */
export async function nextDue(client: PrismaClient): Promise<number | undefined> {
  const { _min: earliest } = await client.payment.aggregate({ where: { status: 'OPEN' }, _min: { dueAt: true } });
  return earliest.dueAt?.getTime();
}

/**
 * Takes the payment that has been due longest, for as long as the lease lasts; no two instances take the same one.
 * The row is marked uncertain before the gateway is asked, since a crash leaves no other trace of the attempt.
 *
 * The payments are their own job queue. pg-boss 10 would be a second store, in a schema beside our migrations, to be kept
 * in step with this one; and it does not run over the Prisma client, in whose transaction an order is claimed.
 */
export async function takeDue(client: PrismaClient, now: Date, lease: Date): Promise<Attempt | undefined> {
  const [taken] = await client.$queryRaw<Attempt[]>`
    WITH due AS (
      SELECT id, uncertain FROM payments
      WHERE status = 'OPEN' AND due_at <= ${now}::timestamptz
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE payments p SET due_at = ${lease}::timestamptz, attempts = attempts + 1, uncertain = true
    FROM due, orders o
    WHERE p.id = due.id AND o.id = p.order_id
    RETURNING p.id, p.order_id AS "orderId", o.amount, o.currency, p.token, p.attempts, due.uncertain AS "wasUncertain"`;
  return taken;
}
