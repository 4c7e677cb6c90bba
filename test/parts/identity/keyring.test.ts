import t from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { encryptingSecret } from '../../../src/platform/parts/identity/keys/signing-keys.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { codeOf, startInstance, startService } from '../../support/service.js';

const OLD = 'the secret of the year that is over now';
const NEW = 'the secret of the year that has begun now';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const environment = (...secrets: string[]) => ({
    DEMO: 'on',
    KEY_SECRET: secrets.join(','),
    TRUST_PROXY: 'loopback',
  });
  const instance = (...secrets: string[]) => startInstance(t, database, environment(...secrets));
  const stored = () => client.signingKey.findMany();

  const before = await startService(t, database, environment(OLD));
  const { viewer } = before;
  const orders = `/api/v1/users/${viewer.id}/orders`;
  const total = { amount: 500, currency: 'EUR' };
  const retry = (rest: typeof before.rest, key: string, body: object = { total }) =>
    rest('POST', orders, { as: viewer, headers: { 'idempotency-key': key }, body });
  const firstPage = async (rest: typeof before.rest): Promise<string> =>
    (await rest('GET', '/api/v1/users?after=&limit=1', { as: viewer })).body.cursor.next;
  const nextPage = (rest: typeof before.rest, cursor: string) =>
    rest('GET', `/api/v1/users?after=${cursor}&limit=1`, { as: viewer });

  const oldCursor = await firstPage(before.rest);
  const created = await retry(before.rest, 'first');
  t.equal(created.status, 201);

  t.test('with KEY_SECRET=new,old keys are encrypted again, and tokens, cursors and retries stay valid', async (t) => {
    const [row] = await stored();
    t.equal(encryptingSecret(row as never, [OLD]), 0);
    const both = await instance(NEW, OLD);
    const [sealed] = await stored();
    t.equal(encryptingSecret(sealed as never, [NEW]), 0);
    t.throws(() => encryptingSecret(sealed as never, [OLD]), { message: /another KEY_SECRET/ });
    t.equal(sealed?.kid, row?.kid);

    t.equal((await both.rest('GET', '/api/v1/auth/me', { as: viewer })).status, 200, 'a token of before');
    const page = await nextPage(both.rest, oldCursor);
    t.same([page.status, page.body.data.length], [200, 1]);
    const again = await retry(both.rest, 'first');
    t.same([again.status, again.body], [201, created.body]);
    t.same(
      codeOf(await retry(both.rest, 'first', { total: { ...total, amount: 501 } })),
      [422, 'VALIDATION_FAILED'],
      'but another body is another body',
    );
    t.equal(await client.order.count(), 1);
    t.same(codeOf(await nextPage(before.rest, await firstPage(both.rest))), [400, 'BAD_REQUEST'], 'new ones are new');
    t.equal((await retry(both.rest, 'second')).status, 201);
  });

  t.test('an account knows the same networks as before', async (t) => {
    const both = await instance(NEW, OLD);
    const login = (n: number, password: string) => {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'x-forwarded-proto': 'https' };
      return both.rest('POST', '/api/v1/auth/login', {
        ...(n && { headers }),
        body: { email: viewer.email, password },
      });
    };
    for (let n = 1; n <= 10; n++) t.equal((await login(n, 'wrong')).status, 401);
    t.equal((await login(11, PASSWORD)).status, 429);
    t.equal((await login(0, PASSWORD)).status, 200);
  });

  t.test('without the old secret its cursors are refused, and everything else works', async (t) => {
    const after = await instance(NEW);
    t.equal((await after.rest('GET', '/api/v1/auth/me', { as: viewer })).status, 200);
    t.same(codeOf(await nextPage(after.rest, oldCursor)), [400, 'BAD_REQUEST']);
    t.equal((await nextPage(after.rest, await firstPage(after.rest))).status, 200);
    t.equal((await retry(after.rest, 'second')).status, 201);
    t.equal(await client.order.count(), 2);
    await t.rejects(instance(OLD), { constructor: Error, message: /another KEY_SECRET.*KEY_SECRET=new,old/ });
    t.equal(encryptingSecret((await stored())[0] as never, [NEW]), 0, 'which changes nothing');
  });
});

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const connection = database.url === undefined ? database : await openDatabase(database.url);
  if (connection !== database) t.teardown(connection.close);
  const environment = (...secrets: string[]) => ({ KEY_SECRET: secrets.join(',') });

  t.test('instances with both secrets work side by side in either order', async (t) => {
    const one = await startService(t, database, environment(OLD, NEW));
    const two = await startInstance(t, connection, environment(NEW, OLD));
    const body = { email: one.viewer.email, password: PASSWORD };
    for (const issuing of [one, two]) {
      const { access_token } = (await issuing.rest('POST', '/api/v1/auth/login', { body })).body;
      for (const { rest } of [one, two]) {
        const headers = { authorization: `Bearer ${access_token}` };
        t.equal((await rest('GET', '/api/v1/auth/me', { headers })).status, 200);
      }
    }
    const [next] = (await one.app.administration['keys.rotate']({})).filter(({ state }) => state === 'next');
    t.ok(next);
    const third = await startInstance(t, connection, environment(NEW, OLD));
    t.equal((await third.rest('GET', '/.well-known/jwks.json')).body.keys.length, 2);
    const rows = await database.client.signingKey.findMany();
    for (const row of rows) t.equal(encryptingSecret(row, [NEW]), 0, 'each start seals all anew');
  });
});

onEachDatabase(t, async (t, open) => {
  const database = await open();
  t.test('the first secret encrypts keys that were stored in clear', async (t) => {
    const { admin } = await startService(t, database);
    t.match(await database.client.signingKey.findMany(), [{ encrypted: false }]);
    const { rest } = await startInstance(t, database, { KEY_SECRET: NEW });
    const rows = await database.client.signingKey.findMany();
    t.match(rows, [{ encrypted: true }]);
    t.equal(encryptingSecret(rows[0] as never, [NEW]), 0);
    t.equal((await rest('GET', '/api/v1/auth/me', { as: admin })).status, 200);
  });
});
