import { type Statements, statement } from 'accord';
import type { Attempt } from './verdict.js';

const earliest = statement<[], { dueAt: Date | null }>(
  'payment due next',
  `SELECT min(due_at) AS "dueAt" FROM payments WHERE status = 'OPEN'`,
);

/** When a payment is due next, in milliseconds since the epoch; undefined where none is open. */
export async function nextDue(statements: Statements): Promise<number | undefined> {
  return (await statements.run(earliest))[0]?.dueAt?.getTime();
}

const take = statement<[now: Date, lease: Date], Attempt>(
  'payment that is due',
  `WITH due AS (
    SELECT id, uncertain FROM payments
    WHERE status = 'OPEN' AND due_at <= $1
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE payments p SET due_at = $2, attempts = attempts + 1, uncertain = true
  FROM due, orders o
  WHERE p.id = due.id AND o.id = p.order_id
  RETURNING p.id, p.order_id AS "orderId", o.amount, o.currency, p.token, p.attempts, due.uncertain AS "wasUncertain"`,
);

/**
 * Takes the payment that has been due longest, for as long as the lease lasts; no two instances take the same one.
 * The row is marked uncertain before the gateway is asked, since a crash leaves no other trace of the attempt.
 *
 * The payments are their own job queue. pg-boss 10 would be a second store, in a schema beside our migrations, to be kept
 * in step with this one; and it does not run over the Prisma client, in whose transaction an order is claimed.
 */
export async function takeDue(statements: Statements, now: Date, lease: Date): Promise<Attempt | undefined> {
  return (await statements.run(take, now, lease))[0];
}
