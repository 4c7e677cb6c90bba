import t from 'tap';
import { demoDirectory, get, killed, post } from '../../support/demo.js';
import { startServer } from '../../support/process.js';
import { skipUnlessWhole } from '../../support/servers.js';

const EUR = { total: { amount: 1999, currency: 'EUR' } };

t.test(
  'a retry under the same key has no second effect if the process is killed',
  { skip: skipUnlessWhole },
  async (t) => {
    const environment = { DATABASE_URL: await demoDirectory(t) };
    let server = await startServer(t, environment);
    for (const [round, answered] of [0, 15].entries()) {
      const keys = Array.from({ length: 20 }, (_, i) => ({ 'idempotency-key': `round-${round}-${i}` }));
      const before = (await get<unknown[]>(server, '/users/1/orders?limit=100')).length;
      const answers = keys.map((key) => post(server, '/users/1/orders', key, EUR).catch(() => undefined));
      // Kills in the first round during the first answer, and in the second round during the last ones.
      await answers[answered];
      await killed(server);
      const given = (await Promise.all(answers)).map((answer) => answer?.body.id);
      server = await startServer(t, environment);
      for (const [i, key] of keys.entries()) {
        const { status, body } = await post(server, '/users/1/orders', key, EUR);
        t.equal(status, 201);
        if (given[i] !== undefined) t.equal(body.id, given[i], 'the answer that was given stands');
      }
      const orders = await get<unknown[]>(server, '/users/1/orders?limit=100');
      t.equal(
        orders.length,
        before + keys.length,
        `one order for each key; ${given.filter(Boolean).length} were answered`,
      );
    }
  },
);
