import t from 'tap';
import { openDatabase } from '../../src/platform/database/open.js';
import { onEachDatabase, TEST_TIMEOUTS_MS } from '../support/databases.js';
import { startService } from '../support/service.js';
import { uncommitted } from '../support/uncommitted.js';

onEachDatabase(t, async (t, open) => {
  const direct = await open();
  const { url, client } = direct;
  if (!url) return void t.comment('nobody else can lock a table of the embedded database');
  const database = await openDatabase(url, { limits: { ...TEST_TIMEOUTS_MS, lock: 300 }, poolSize: 3 });
  const { rest, graphql, viewer, admin } = await startService(t, Object.assign(database, { url }));

  t.test('a table that somebody else has locked costs its own requests a 503, and no other request', async (t) => {
    const { commit, over } = await uncommitted(
      client,
      (db) => db.$executeRaw`LOCK TABLE orders IN ACCESS EXCLUSIVE MODE`,
    );
    const orders = `/api/v1/users/${viewer.id}/orders`;
    const body = { total: { amount: 1, currency: 'EUR' } };
    const waiting = [
      ...Array.from({ length: 5 }, () => rest('GET', orders, { as: viewer })),
      ...Array.from({ length: 5 }, () => rest('POST', orders, { as: viewer, body })),
    ];
    const [user, posts, created] = await Promise.all([
      rest('GET', `/api/v1/users/${viewer.id}`, { as: viewer }),
      graphql(viewer, '{ posts { id } }'),
      rest('POST', '/api/v1/users', { as: admin, body: { name: 'New', email: 'new@example.com', role: 'viewer' } }),
    ]);
    t.same([user.status, posts.codes, created.status], [200, [], 201], 'requests of other tables');
    for (const { status, body, headers } of await Promise.all(waiting)) {
      t.same([status, body.code], [503, 'UNAVAILABLE']);
      t.match(headers.get('retry-after'), /^[1-9]\d*$/);
    }
    commit();
    await over;
    t.equal((await rest('GET', orders, { as: viewer })).status, 200, 'afterwards');
    t.equal((await rest('POST', orders, { as: viewer, body })).status, 201);
  });
});
