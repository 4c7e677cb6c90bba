import t from 'tap';
import { removeExpired } from '../../../src/platform/parts/identity/expiry.js';
import { TIMEOUTS_MS } from '../../../src/platform/server/http-server.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { exampleApp } from '../../support/example.js';
import { PASSWORD, passwordHash } from '../../support/people.js';
import { basic } from '../../support/process.js';
import { codeOf, startInstance, startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const LOGIN = '/api/v1/auth/login';
const MINUTE = 60_000;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  let offset = 0;
  const time = slowClock();
  const now = () => time() + offset;
  const environment = { DEMO: 'on', TRUST_PROXY: 'loopback', LOGIN_LIMIT: '100000' };
  const { rest, graphql, viewer, admin, developer } = await startService(t, database, environment, now);
  const from = (n: number) => ({ 'x-forwarded-for': `203.0.113.${n}`, 'x-forwarded-proto': 'https' });
  const login = (email: string, password: string, n: number) =>
    rest('POST', LOGIN, { body: { email, password }, headers: from(n) });
  const fromHome = (email: string) => rest('POST', LOGIN, { body: { email, password: PASSWORD } });
  const freshAdmin = async () => {
    const { access_token } = (await fromHome(admin.email)).body;
    return { ...admin, headers: { authorization: `Bearer ${access_token}` } };
  };
  const statuses = async (count: number, email: string) => {
    const seen = [];
    for (let i = 0; i < count; i++) seen.push((await login(email, 'wrong', 1 + (i % 20))).status);
    return seen;
  };

  t.test('P04: an account waits at most fifteen minutes after ten failures from any network', async (t) => {
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
    t.equal((await fromHome(viewer.email)).status, 200, 'S07: so does the owner, where the account has been before');
    t.equal((await rest('GET', '/api/v1/auth/me', { headers: basic(viewer.email, PASSWORD) })).status, 200);

    const waits = [];
    for (let i = 0; i < 8; i++) {
      offset += 15 * MINUTE;
      t.same(codeOf(await login(viewer.email, 'wrong', 100 + i)), [401, 'UNAUTHENTICATED']);
      waits.push(Number((await login(viewer.email, PASSWORD, 120 + i)).headers.get('retry-after')));
    }
    t.same(
      waits.map((seconds) => Math.ceil(seconds / 15) * 15),
      [60, 120, 240, 480, 900, 900, 900, 900],
    );
    offset += 15 * MINUTE;
    t.equal((await login(viewer.email, PASSWORD, 99)).status, 200, 'the right password works within fifteen minutes');
    t.equal((await login(viewer.email, PASSWORD, 99)).status, 200, 'and again at once');
  });

  t.test('S07: failures of one unknown network delay only that network', async (t) => {
    const seen = [];
    for (let i = 0; i < 100; i++) seen.push((await login(admin.email, 'wrong', 50)).status);
    t.same(seen, [...Array(10).fill(401), ...Array(90).fill(429)]);
    t.equal((await fromHome(admin.email)).status, 200, 'the owner comes in at once where the account has been before');
    t.equal((await login(admin.email, PASSWORD, 51)).status, 200, 'and from a new network');
    t.equal((await login(admin.email, PASSWORD, 50)).status, 429, 'but not where the stranger is');
  });

  t.test('S07: the owner can log in from a new network after Retry-After, during an attack too', async (t) => {
    await database.client.throttle.deleteMany();
    await statuses(30, admin.email);
    const refused = await login(admin.email, PASSWORD, 60);
    t.same(codeOf(refused), [429, 'RATE_LIMITED']);
    const wait = Number(refused.headers.get('retry-after'));
    t.ok(wait <= 900);
    offset += (wait - 1) * 1000;
    await login(admin.email, PASSWORD, 60);
    offset += 1000;
    t.ok((await statuses(40, admin.email)).includes(401), 'an attack goes on, and takes the attempt that became free');
    t.same(codeOf(await login(admin.email, PASSWORD, 61)), [429, 'RATE_LIMITED'], 'who has not waited waits');
    t.equal((await login(admin.email, PASSWORD, 60)).status, 200);
  });

  t.test('any number of attacking networks gets at most a hundred extra attempts', async (t) => {
    await database.client.throttle.deleteMany();
    await statuses(10, admin.email);
    const networks = Array.from({ length: 105 }, (_, i) => 100 + i);
    for (const network of networks) await login(admin.email, 'wrong', network);
    offset += 31_000;
    const seen = [];
    for (const network of networks) seen.push((await login(admin.email, 'wrong', network)).status);
    t.same(seen, [...Array(101).fill(401), ...Array(4).fill(429)]);
    t.equal((await fromHome(admin.email)).status, 200, 'and the owner is none of them');
  });

  t.test('an unknown account waits like a known one', async (t) => {
    const attempt = async (email: string) => {
      await database.client.throttle.deleteMany();
      const answers = [];
      for (let i = 0; i < 25; i++) {
        const answer = await login(email, 'wrong', i < 7 ? 1 : i);
        answers.push([answer.status, Math.ceil(Number(answer.headers.get('retry-after')) / 15), answer.body.detail]);
        if (i === 18) offset += 31_000;
      }
      return answers;
    };
    const unknown = await attempt('nobody@example.com');
    t.same(unknown, await attempt(developer.email));
    t.same(new Set(unknown.map(([status]) => status)), new Set([401, 429]));
  });

  t.test('the cost of an attempt does not reveal if the account exists', async (t) => {
    await database.client.throttle.deleteMany();
    const first = await statementsOf(() => login('nobody@example.com', 'wrong', 200));
    const second = await statementsOf(() => login(developer.email, 'wrong', 201));
    t.same(first.statements, second.statements);
    t.ok(first.statements.length > 0);
  });

  t.test('simultaneous failures are all counted', async (t) => {
    await database.client.throttle.deleteMany();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => login(developer.email, 'wrong', 30 + i)));
    t.equal(answers.filter(({ status }) => status === 401).length, 10);
    t.equal(answers.filter(({ status }) => status === 429).length, 30);
  });

  t.test('simultaneous correct Basic credentials all succeed', async (t) => {
    await database.client.throttle.deleteMany();
    const app = await startInstance(t, database, { DEMO: 'on', TRUST_PROXY: 'loopback', LOGIN_LIMIT: '10' }, { now });
    const me = async (email: string, password: string, n: number) =>
      (await app.rest('GET', '/api/v1/auth/me', { headers: { ...basic(email, password), ...from(n) } })).status;
    const at = async (count: number, attempt: (i: number) => Promise<number>) =>
      (await Promise.all(Array.from({ length: count }, (_, i) => attempt(i)))).sort();

    t.same(await at(200, () => me(admin.email, PASSWORD, 210)), Array(200).fill(200), 'two hundred times the same');
    t.same(await at(40, (i) => me(admin.email, PASSWORD, 211 + i)), Array(40).fill(200), 'from many networks');
    const emails = Array.from({ length: 30 }, (_, i) => `at-once-${i}@example.com`);
    const hashed = await passwordHash;
    await database.client.user.createMany({
      data: emails.map((email) => ({ name: 'New', email, emailKey: email, role: 'VIEWER', passwordHash: hashed })),
    });
    t.same(await at(30, (i) => me(emails[i] as string, PASSWORD, 251)), Array(30).fill(200), 'of many accounts');
    const left = await database.client.throttle.findMany({ where: { count: { gt: 0 } } });
    t.same(left, [], 'and none of it counts');
    t.same(
      await at(40, () => me(developer.email, 'wrong', 252)),
      [...Array(10).fill(401), ...Array(30).fill(429)],
      'wrong ones are counted each, the same one too',
    );
  });

  t.test('a burst of one network does not delay others', async (t) => {
    await database.client.throttle.deleteMany();
    // Only the queue refuses attempts, also on a slow machine.
    const timeouts = { ...TIMEOUTS_MS, handler: 10 * MINUTE };
    const environment = { DEMO: 'on', TRUST_PROXY: 'loopback' };
    const app = await startInstance(t, database, environment, { now, timeouts });
    const attempt = async (email: string, password: string, n: number) =>
      (await app.rest('POST', LOGIN, { body: { email, password }, headers: from(n) })).status;
    const burst = Array.from({ length: 180 }, (_, i) => attempt(`burst-${i}@example.com`, 'wrong', 1 + (i % 20)));
    const others = [admin, developer, viewer].map(({ email }, i) => attempt(email, PASSWORD, 61 + i));
    t.same(await Promise.all(others), [200, 200, 200]);
    for (const status of await Promise.all(burst))
      t.ok([401, 503].includes(status), 'who floods is refused, if anyone');
  });

  t.test('an account knows a limited number of networks for a limited time, stored as codes', async (t) => {
    await database.client.throttle.deleteMany();
    const { client } = database;
    const known = (userId: number) => client.knownNetwork.findMany({ where: { userId }, orderBy: { lastSeen: 'asc' } });
    const created = await client.user.create({
      data: {
        name: 'Traveller',
        email: 'traveller@example.com',
        emailKey: 'traveller@example.com',
        role: 'VIEWER',
        passwordHash: await passwordHash,
      },
    });
    for (let i = 0; i < 21; i++) {
      t.equal((await login(created.email, PASSWORD, i)).status, 200);
      offset += 1000;
    }
    t.equal((await known(created.id)).length, 20, 'the last twenty');
    t.equal((await login(created.email, PASSWORD, 20)).status, 200);
    const codes = (await client.knownNetwork.findMany()).map(({ network }) => Buffer.from(network).toString('hex'));
    t.equal(new Set(codes).size, codes.length, 'two accounts in one network have nothing in common');
    for (let i = 0; i < 10; i++) t.equal((await login(created.email, 'wrong', 100 + i)).status, 401);
    t.equal((await login(created.email, PASSWORD, 20)).status, 200);
    t.equal((await login(created.email, PASSWORD, 0)).status, 429, 'the oldest is a stranger again');

    t.equal((await rest('DELETE', `/api/v1/users/${created.id}`, { as: await freshAdmin() })).status, 204);
    t.same(await known(created.id), [], 'they go with the account');
    t.not(await client.knownNetwork.count(), 0);
    await removeExpired(database.client, now() + 90 * 24 * 60 * MINUTE);
    t.equal(await client.knownNetwork.count(), 0, 'and after ninety days');
  });

  t.test('guesses of the current password for a change are throttled', async (t) => {
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

    await database.client.throttle.deleteMany();
    await statuses(30, viewer.email);
    t.equal((await login(viewer.email, PASSWORD, 70)).status, 429);
    const body = { current_password: PASSWORD, new_password: PASSWORD };
    const changed = await rest('PUT', `/api/v1/users/${viewer.id}/password`, { as, body, headers: from(70) });
    t.equal(changed.status, 204, 'and no stranger stands in its way');
  });

  t.test('a wait that a wrong clock dated a day too late ends with the next sweep', async (t) => {
    offset += 25 * 60 * MINUTE;
    await statuses(11, developer.email);
    offset -= 25 * 60 * MINUTE;
    t.same(codeOf(await login(developer.email, PASSWORD, 99)), [429, 'RATE_LIMITED']);
    await removeExpired(database.client, now());
    t.equal((await login(developer.email, PASSWORD, 99)).status, 200);
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

  t.test('LOGIN_LIMIT counts logins, and wrong passwords of Basic', async (t) => {
    await database.client.throttle.deleteMany();
    const environment = { NODE_ENV: 'test', DEMO: 'on', LOGIN_LIMIT: '3', TRUST_PROXY: 'loopback' };
    const instance = async () => {
      const app = await exampleApp(environment, { database, logger: false, now });
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
