import t from 'tap';
import { onEachDatabase } from '../support/databases.js';
import { codeOf, startService } from '../support/service.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('the rate: told on every answer, refused in its place', async (t) => {
    const service = await startService(t, database, {
      RATE_LIMIT: '5',
      RATE_CEILING: '1000',
      RATE_LIMIT_ANONYMOUS: '1000',
    });
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
    t.ok(Math.abs(reset - Date.now() / 1000) <= 61, 'a Unix time');

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
  });

  t.test('a batch counts once for each of its operations', async (t) => {
    await database.client.user.deleteMany();
    const { url, viewer } = await startService(t, database, { RATE_LIMIT: '10' });
    const batch = (size: number) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...viewer.headers },
        body: JSON.stringify(Array.from({ length: size }, () => ({ query: '{ me { id } }' }))),
      });
    t.equal((await batch(7)).headers.get('x-rate-limit-remaining'), '3');
    t.match(JSON.stringify(await (await batch(4)).json()), 'RATE_LIMITED');
  });

  t.test('the ceiling for an address comes before everything', async (t) => {
    await database.client.user.deleteMany();
    const { rest } = await startService(t, database, { RATE_CEILING: '20' });
    const answers = [];
    for (let i = 0; i < 25; i++) answers.push((await rest('GET', '/nowhere')).status);
    t.equal(answers[0], 404);
    t.equal(answers.at(-1), 429);
    const bad = await rest('POST', '/api/v1/users', { body: '{', headers: { 'content-type': 'application/json' } });
    t.same(codeOf(bad), [429, 'RATE_LIMITED'], 'a body that is not JSON included');
  });
});
