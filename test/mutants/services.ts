import type { Mutant } from './mutant.js';

const PAYMENTS = 'application/services/payments/payments.ts';
const GATEWAY = 'application/services/payments/http.ts';
const KEYS = 'platform/parts/idempotency/index.ts';
const JOBS = 'platform/parts/jobs/index.ts';

/** The application's services, and the lists, idempotency keys and jobs of the platform. */
export const services: Mutant[] = [
  {
    file: PAYMENTS,
    before: `outcome.kind === 'unknown' || wasUncertain) return`,
    after: `outcome.kind === 'unknown') return`,
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: PAYMENTS,
    before: 'attempts < MAX_ATTEMPTS',
    after: 'attempts <= MAX_ATTEMPTS',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: GATEWAY,
    before: 'new Set([408, 409, 425])',
    after: 'new Set([408, 425])',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: GATEWAY,
    before: 'retryable: status === 429',
    after: 'retryable: false',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: PAYMENTS,
    before: 'uncertain: wasUncertain || outcome',
    after: 'uncertain: outcome',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: PAYMENTS,
    before: '2 ** (attempts - 1)',
    after: '2 * (attempts - 1)',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: PAYMENTS,
    before: 'amount, currency, wasUncertain: false',
    after: 'amount, currency, wasUncertain: true',
    tests: ['example/payment/gateway.test.ts'],
    drawn: true,
  },
  {
    file: PAYMENTS,
    before: 'else await continuation.abandon(db, id);',
    after: '',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: PAYMENTS,
    before: `...(status === 'FAILED' && { attempts })`,
    after: '',
    tests: ['example/payment/gateway.test.ts'],
  },
  {
    file: 'application/services/index.ts',
    before: 'concurrency: WORKER_COUNT',
    after: 'concurrency: 1',
    tests: ['example/payment/gateway.test.ts'],
  },

  {
    file: 'platform/core/rest/routes.ts',
    before: 'offset + limit < total ?',
    after: 'offset + limit <= total ?',
    tests: ['core/rest/lists.test.ts'],
  },
  {
    file: 'platform/core/rest/routes.ts',
    before: '(total - 1) / limit',
    after: 'total / limit',
    tests: ['core/rest/lists.test.ts'],
  },
  {
    file: 'platform/core/rest/routes.ts',
    before: 'Math.floor(start / limit) + 1',
    after: 'Math.floor(start / limit)',
    tests: ['core/rest/lists.test.ts'],
  },
  {
    file: 'platform/core/rest/routes.ts',
    before: 'Math.min(offset - limit, lastStart)',
    after: 'Math.min(offset - limit, offset)',
    tests: ['core/rest/lists.test.ts'],
  },
  {
    file: 'platform/core/operations/guarded-client.ts',
    before: 'COUNT_AGE_MS = 60_000',
    after: 'COUNT_AGE_MS = 3_600_000',
    tests: ['database/statements.test.ts'],
  },
  {
    file: 'platform/core/operations/guarded-client.ts',
    before: 'if (few <= ALWAYS_COUNTED_ROWS)',
    after: 'if (few < ALWAYS_COUNTED_ROWS)',
    tests: ['database/statements.test.ts'],
  },
  {
    file: 'platform/core/operations/guarded-client.ts',
    before: 'counting.catch(() => counts.delete(list));',
    after: 'counting.catch(() => {});',
    tests: ['database/statements.test.ts'],
  },
  {
    file: 'platform/core/calls/rows.ts',
    before: 'return Math.max(total, seen + 1);',
    after: 'return total;',
    tests: ['database/statements.test.ts'],
  },
  {
    file: 'platform/core/calls/rows.ts',
    before: 'isThereOne({ gte: before })',
    after: 'isThereOne({ gt: before })',
    tests: ['core/operations/stored-rows.test.ts'],
  },

  {
    file: 'platform/core/rest/plan.ts',
    before: 'sortedJson({ path, body })',
    after: 'sortedJson({ body })',
    tests: ['parts/idempotency/idempotency.test.ts'],
    drawn: true,
  },
  {
    file: KEYS,
    before: '24 * 60 * 60 * 1000',
    after: '60 * 60 * 1000',
    tests: ['parts/idempotency/idempotency.test.ts'],
  },
  {
    file: KEYS,
    before: 'workId === null && expiresAt',
    after: 'expiresAt',
    tests: ['example/payment/keys.test.ts'],
  },
  {
    file: KEYS,
    before: 'if (record) await tx.idempotencyKey.delete({',
    after: 'if (record && !lock) await tx.idempotencyKey.delete({',
    tests: ['parts/idempotency/idempotency.test.ts'],
    drawn: true,
  },
  {
    file: KEYS,
    before: 'answer: answer ? writtenResponse(answer) : null,',
    after: 'answer: answer ? JSON.stringify(answer) : null,',
    tests: ['parts/idempotency/answers.test.ts'],
    drawn: true,
  },
  {
    file: KEYS,
    before: 'expiresAt: { lte: new Date(now()) }, workId: null }',
    after: 'expiresAt: { lte: new Date(now()) } }',
    tests: ['parts/idempotency/idempotency.test.ts'],
  },

  {
    file: JOBS,
    before: 'state.isRunRequested || state.dueAt <= now()',
    after: 'state.dueAt <= now()',
    tests: ['parts/jobs/jobs.test.ts'],
  },
  {
    file: JOBS,
    before: 'announced && !isListening() ? TICK_MS : every',
    after: 'every',
    tests: ['parts/jobs/jobs.test.ts'],
    servers: true,
  },
  {
    file: 'platform/parts/identity/expiry.ts',
    before: ' OR revoked_at IS NOT NULL',
    after: '',
    tests: ['parts/identity/sessions.test.ts'],
  },
  {
    file: 'platform/parts/identity/audit/audit.ts',
    before: 'rows.reverse()',
    after: 'rows',
    tests: ['parts/identity/audit.test.ts'],
    drawn: true,
  },
];
