import type { Mutant } from './mutant.js';

const _PLANS = 'prepared-prisma/recorder.ts';
const _FAULTS = 'platform/database/faults.ts';
const _PREPARED = [
  'prepared-prisma/behaviour.test.ts',
  'prepared-prisma/equality.test.ts',
  'prepared-prisma/raw.test.ts',
];

/** The database, the prepared client, and transactions of operations. */
export const database: Mutant[] = [
  {
    file: 'platform/core/operations/call-transaction.ts',
    before: '    log.failed ??= { error };\n',
    after: '',
    tests: ['parts/idempotency/idempotency.test.ts'],
    drawn: true,
  },
  {
    file: 'platform/parts/identity/schedulers.ts',
    before: '.then(work, work)',
    after: '.then(work)',
    tests: ['parts/identity/credentials.test.ts'],
    drawn: true,
  },
];
