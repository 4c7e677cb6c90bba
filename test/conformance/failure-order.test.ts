import t from 'tap';
import { errors } from '../../generated/errors.js';
import { rows } from '../../src/platform/core/order.js';
import type { Database } from '../../src/platform/database/open.js';
import { type Fault, faultsOf } from '../../src/testing/faults.js';
import { failureOrder } from '../../src/testing/index.js';
import { example, ofExample } from '../support/conformance.js';
import { onEachDatabase } from '../support/databases.js';

t.test('the stages of the pipeline decide the failures in order', async (t) => {
  const faults = faultsOf(example);
  for (const { name, stage, status } of faults) {
    const { refuses = [] } = rows.find((row) => row.name === stage) ?? {};
    t.ok(
      refuses.some((code) => errors[code].status === status),
      `${stage}: ${name}`,
    );
  }
  const placeOf = ({ stage }: Fault) => rows.findIndex(({ name }) => name === stage);
  const inOrder = faults.toSorted((a, b) => placeOf(a) - placeOf(b) || a.rank - b.rank);
  // A login and a refresh send credentials in the body, which a service reads.
  const ranks = inOrder.filter(({ status, isByHandler }) => !(status === 401 && isByHandler)).map(({ rank }) => rank);
  t.strictSame(
    ranks,
    ranks.toSorted((a, b) => a - b),
  );
});

onEachDatabase(t, async (t, open) => {
  const database: Database = await open();
  await ofExample(failureOrder, t, async () => ({ ...database, close: async () => {} }));

  t.test('rejected requests have no effect', async (t) => {
    const { user, tombstone, order } = database.client;
    t.equal(await user.count({ where: { email: { startsWith: 'free' } } }), 0);
    t.equal(await tombstone.count(), 2);
    t.equal(await order.count({ where: { status: { notIn: ['PENDING', 'PAID'] } } }), 0);
  });
});
