import t from 'tap';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { basic } from '../../support/process.js';
import { codeOf, startService } from '../../support/service.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('every answer states the rate, and 429 comes in its order', async (t) => {
    const time = slowClock();
    let moved = 0;
    const now = () => time() + moved;
    const limits = { RATE_LIMIT: '5', RATE_CEILING: '1000', RATE_LIMIT_ANONYMOUS: '1000' };
    const service = await startService(t, database, limits, now);
    const { rest, viewer, graphql, admin } = service;
    const get = () => rest('GET', '/api/v1/users', { as: viewer });
    const remaining = [];
    for (let i = 0; i < 5; i++) remaining.push((await get()).headers.get('x-rate-limit-remaining'));
    t.same(remaining, ['4', '3', '2', '1', '0']);
    const refused = await get();
    t.same(codeOf(refused), [429, 'RATE_LIMITED']);
    t.type(refused.body.error, 'string');
    const wait = Number(refused.headers.get('retry-after'));
    t.ok(wait > 0 && wait <= 60);
    const reset = Number(refused.headers.get('x-rate-limit-reset'));
    t.ok(Math.abs(reset - now() / 1000) <= 61, 'a Unix time');

    t.same(
      codeOf(await rest('GET', '/api/v1/users/999', { as: viewer })),
      [404, 'NOT_FOUND'],
      'its own failure comes first',
    );
    t.same(codeOf(await rest('DELETE', `/api/v1/users/${admin.id}`, { as: viewer })), [403, 'FORBIDDEN']);
    t.same(codeOf(await rest('DELETE', `/api/v1/users/${viewer.id}`, { as: viewer })), [429, 'RATE_LIMITED']);
    t.ok(await database.client.user.findUnique({ where: { id: viewer.id } }), 'a refused request has no effect');
    t.same((await graphql(viewer, '{ me { id } }')).codes, ['RATE_LIMITED'], 'one count for both transports');
    t.equal((await rest('GET', '/livez', { as: viewer })).headers.get('x-rate-limit-limit'), null);
    moved += 1000 * Number((await get()).headers.get('retry-after'));
    t.equal((await get()).status, 200, 'a caller who waits for Retry-After is served');
  });

  t.test('a login beyond the rate begins no session', async (t) => {
    await database.client.user.deleteMany();
    const { rest, viewer } = await startService(t, database, { RATE_LIMIT_ANONYMOUS: '10' });
    const before = await database.client.session.count();
    const login = () => rest('POST', '/api/v1/auth/login', { body: { email: viewer.email, password: PASSWORD } });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await login()).status);
    t.equal(statuses.at(-1), 429);
    const begun = statuses.filter((status) => status === 200).length;
    t.equal((await database.client.session.count()) - before, begun);
  });

  t.test('a valid credential counts for its caller, also on public operations', async (t) => {
    await database.client.user.deleteMany();
    const { rest, url, viewer } = await startService(t, database, { RATE_LIMIT: '500', RATE_LIMIT_ANONYMOUS: '70' });
    const login = { email: viewer.email, password: PASSWORD };
    const { token } = (await rest('POST', '/api/v1/auth/login', { body: { ...login, flow: 'opaque' } })).body;
    const good = [
      viewer.headers,
      { authorization: `Bearer ${token}` },
      { cookie: `accord_access=${token}` },
      basic(viewer.email, PASSWORD),
    ];
    const bad = [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: `Bearer ${token}x` },
      { cookie: 'accord_access=nonsense' },
      basic('nobody@example.com', 'not the password'),
    ];
    const ways: [method: string, path: string, status: number, init?: object][] = [
      ['GET', '/nowhere', 404],
      ['GET', '/api/v9/users', 404],
      ['GET', '/api/v1/users/', 308],
      ['GET', '/graphql', 405],
      ['PUT', '/graphql', 405],
      ['DELETE', '/api/v1/auth/login', 405],
      ['OPTIONS', '/api/v1/users', 204],
      ['GET', '/users?version=9', 400],
      ['POST', '/api/v1/users', 400, { headers: { 'content-type': 'application/json' }, body: '{' }],
      ['GET', '/.well-known/jwks.json', 200],
    ];
    let left = 500;
    for (const [method, path, status, init = {}] of ways) {
      const ask = async (credential: Record<string, string>) => {
        const { headers: more = {} } = init as { headers?: Record<string, string> };
        const response = await fetch(url + path, {
          method,
          redirect: 'manual',
          ...init,
          headers: { ...more, ...credential },
        });
        t.equal(response.status, status, `${method} ${path}`);
        return ['limit', 'remaining'].map((name) => Number(response.headers.get(`x-rate-limit-${name}`)));
      };
      for (const credential of good) {
        left -= 1;
        t.same(await ask(credential), [500, left], `${method} ${path} ${JSON.stringify(credential).slice(0, 30)}`);
      }
      for (const credential of bad) t.equal((await ask(credential))[0], 70);
    }
  });

  t.test('a batch counts once for each of its operations', async (t) => {
    await database.client.user.deleteMany();
    const { url, viewer } = await startService(t, database, { RATE_LIMIT: '10' }, slowClock());
    const batch = (size: number, query = '{ me { id } }') =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...viewer.headers },
        body: JSON.stringify(Array.from({ length: size }, () => ({ query }))),
      });
    t.equal((await batch(7)).headers.get('x-rate-limit-remaining'), '3');
    // An address without credentials pays for each KiB.
    const long = await batch(1, `{ me { id } } #${' long'.repeat(1000)}`);
    t.equal(long.headers.get('x-rate-limit-remaining'), '2', 'however long its document is');
    t.match(JSON.stringify(await (await batch(4)).json()), 'RATE_LIMITED');
  });

  t.test('the ceiling of an address is checked first', async (t) => {
    await database.client.user.deleteMany();
    const { rest } = await startService(t, database, { RATE_CEILING: '20' }, slowClock());
    const answers = [];
    for (let i = 0; i < 25; i++) answers.push((await rest('GET', '/nowhere')).status);
    t.equal(answers[0], 404);
    t.equal(answers.at(-1), 429);
    const bad = await rest('POST', '/api/v1/users', { body: '{', headers: { 'content-type': 'application/json' } });
    t.same(codeOf(bad), [429, 'RATE_LIMITED'], 'a body that is not JSON included');
  });
});
