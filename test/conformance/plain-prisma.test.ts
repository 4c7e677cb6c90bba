import t from 'tap';
import { application } from '../../src/application/application.js';
import { statisticsOf } from '../../src/prepared-prisma/index.js';
import { drawnRequests, everyBound, everyOperation, failureOrder, permissions } from '../../src/testing/index.js';
import { example } from '../support/conformance.js';
import { onEachDatabase } from '../support/databases.js';

const plain = { ...application, client: 'prisma' } as const;
const SUITES = {
  'every operation': everyOperation,
  'every bound': everyBound,
  'the order of failures': failureOrder,
  permissions,
  'generated requests': drawnRequests,
};

onEachDatabase(
  t,
  async (t, open) => {
    const { client } = await open();
    t.throws(() => statisticsOf(client), { message: 'This is not a prepared client.' });
    for (const [name, suite] of Object.entries(SUITES))
      await t.test(`the example conforms without @accord-api/prepared-prisma: ${name}`, (t) =>
        suite(t, plain, { ...example, open, draws: { runs: 300 } }),
      );
  },
  plain.client,
);
