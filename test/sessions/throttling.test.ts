import t from 'tap';
import { buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config.js';
import { onEachDatabase } from '../support/databases.js';
import { basic } from '../support/process.js';
import { codeOf, PASSWORD, startService } from '../support/service.js';

const LOGIN = '/api/v1/auth/login';
const MINUTE = 60_000;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  let offset = 0;
  const now = () => Date.now() + offset;
  const environment = { TRUST_PROXY: 'loopback', LOGIN_LIMIT: '100000' };
  const { rest, graphql, viewer, admin, developer } = await startService(t, database, environment, now);
  const from = (n: number) => ({ 'x-forwarded-for': `203.0.113.${n}`, 'x-forwarded-proto': 'https' });
  const login = (email: string, password: string, n: number) =>
    rest('POST', LOGIN, { body: { email, password }, headers: from(n) });
  const statuses = async (count: number, email: string) => {
    const seen = [];
    for (let i = 0; i < count; i++) seen.push((await login(email, 'wrong', 1 + (i % 20))).status);
    return seen;
  };

  t.test('P04: an account waits after ten failures, from wherever they come, and never for long', async (t) => {
    t.same(await statuses(10, viewer.email), Array(10).fill(401));
    const refused = await login(viewer.email, PASSWORD, 99);
    t.same(codeOf(refused), [429, 'RATE_LIMITED']);
    const wait = Number(refused.headers.get('retry-after'));
    t.ok(wait > 25 && wait <= 30);
    t.equal((await login(admin.email, PASSWORD, 1)).status, 200, 'no other account waits');
    const byBasic = await rest('GET', '/api/v1/auth/me', {
      headers: { ...basic(viewer.email, PASSWORD), ...from(98) },
    });
    t.same(codeOf(byBasic), [429, 'RATE_LIMITED'], 'Basic too');
    const inGraphql = await graphql(
      { ...viewer, headers: { ...basic(viewer.email, PASSWORD), ...from(97) } },
      '{ me { id } }',
    );
    t.same(inGraphql.codes, ['RATE_LIMITED']);
    t.ok(Number(inGraphql.headers.get('retry-after')) > 0);
    t.equal((await rest('GET', '/api/v1/auth/me', { headers: viewer.headers })).status, 200, 'tokens go on');

    const waits = [];
    for (let i = 0; i < 8; i++) {
      offset += 15 * MINUTE;
      t.same(codeOf(await login(viewer.email, 'wrong', 99)), [401, 'UNAUTHENTICATED']);
      waits.push(Number((await login(viewer.email, PASSWORD, 99)).headers.get('retry-after')));
    }
    t.same(
      waits.map((seconds) => Math.ceil(seconds / 15) * 15),
      [60, 120, 240, 480, 900, 900, 900, 900],
    );
    offset += 15 * MINUTE;
    t.equal((await login(viewer.email, PASSWORD, 99)).status, 200, 'the right password works within fifteen minutes');
    t.equal((await login(viewer.email, PASSWORD, 99)).status, 200, 'and again at once');
  });

  t.test('an unknown account waits like any other', async (t) => {
    t.same(await statuses(11, 'nobody@example.com'), [...Array(10).fill(401), 429]);
  });

  t.test('failures that come at once are counted all the same', async (t) => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => login(developer.email, 'wrong', 30 + i)));
    t.equal(answers.filter(({ status }) => status === 401).length, 10);
    t.equal(answers.filter(({ status }) => status === 429).length, 30);
  });

  t.test('the present password of a change is guessed no faster', async (t) => {
    await database.client.throttle.deleteMany();
    const { token } = (await rest('POST', LOGIN, { body: { email: viewer.email, password: PASSWORD, flow: 'opaque' } }))
      .body;
    const as = { ...viewer, headers: { authorization: `Bearer ${token}` } };
    const seen = [];
    for (let i = 0; i < 11; i++) {
      const body = { current_password: 'wrong', new_password: 'a new password' };
      seen.push((await rest('PUT', `/api/v1/users/${viewer.id}/password`, { as, body })).status);
    }
    t.same(seen, [...Array(10).fill(422), 429]);
  });

  t.test('P04: an address that tries many accounts waits', async (t) => {
    await database.client.throttle.deleteMany();
    const answers = [];
    for (let i = 0; i < 101; i++) answers.push((await login(`user${i}@example.com`, 'wrong', 7)).status);
    t.same(answers, [...Array(100).fill(401), 429]);
    t.equal((await login(admin.email, PASSWORD, 8)).status, 200, 'another address goes on');
    offset += 16 * MINUTE;
    t.equal((await login(admin.email, PASSWORD, 7)).status, 200);
  });

  t.test('the logins a minute of an address; Basic uses them up by wrong passwords only', async (t) => {
    await database.client.throttle.deleteMany();
    const config = readConfig({ NODE_ENV: 'test', LOGIN_LIMIT: '3', TRUST_PROXY: 'loopback' });
    const instance = async () => {
      const app = await buildApp(config, { database, logger: false, now });
      return Object.assign(app, { url: await app.listen({ port: 0, host: '127.0.0.1' }) });
    };
    const [one, two] = [await instance(), await instance()];
    const post = ({ url }: typeof one, address: string) =>
      fetch(url + LOGIN, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
        body: JSON.stringify({ email: admin.email, password: PASSWORD }),
      });
    const get = async ({ url }: typeof one, address: string, password: string) => {
      const headers = { ...basic(admin.email, password), 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
      return (await fetch(`${url}/api/v1/auth/me`, { headers })).status;
    };
    const seen = [];
    for (const app of [one, two, one]) seen.push((await post(app, '192.0.2.1')).status);
    t.same(seen, [200, 200, 200], 'right ones count as well');
    const refused = await post(two, '192.0.2.1');
    t.equal(refused.status, 429, 'on every instance');
    t.ok(Number(refused.headers.get('retry-after')) <= 60);
    t.equal((await post(two, '192.0.2.2')).status, 200);
    await one.close();
    const restarted = await instance();
    t.equal((await post(restarted, '192.0.2.1')).status, 429, 'a restart forgets nothing');
    offset += MINUTE;
    t.equal((await post(restarted, '192.0.2.1')).status, 200);

    for (let i = 0; i < 5; i++) t.equal(await get(two, '192.0.2.3', PASSWORD), 200);
    t.same(
      [await get(two, '192.0.2.3', 'x'), await get(two, '192.0.2.3', 'y'), await get(two, '192.0.2.3', 'z')],
      [401, 401, 401],
    );
    t.equal(await get(two, '192.0.2.3', 'right or wrong'), 429);
    t.equal(await get(two, '192.0.2.3', PASSWORD), 200, 'one that was right lately goes on');
    t.equal(await get(restarted, '192.0.2.3', PASSWORD), 429, 'where it is not known, it waits');

    const v6 = (host: string) => post(two, `2001:db8:0:1::${host}`);
    for (const host of ['1', '2', '3']) t.equal((await v6(host)).status, 200);
    t.equal((await v6('4')).status, 429, 'a /64 is one address');
    t.equal((await post(two, '2001:db8:0:2::1')).status, 200);
    await Promise.all([two.close(), restarted.close()]);
  });
});
