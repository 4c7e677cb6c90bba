import t from 'tap';
import { demo } from '../../../src/application/seed.js';
import { source } from '../../support/contract.js';
import { memoryDatabase, onEachDatabase } from '../../support/databases.js';
import { PRODUCTION } from '../../support/production.js';
import { startInstance, startService } from '../../support/service.js';

const USERS = '/api/v1/users';
const ALLOWED = 'access-control-allow-origin';

onEachDatabase(t, async (t, open) => {
  t.test('only listed origins may call, without cookies', async (t) => {
    const listed = 'https://app.example.com';
    const { url, rest, admin } = await startService(t, await open(), { CORS_ORIGINS: `${listed}, https://b.example` });
    const closed = await startService(t, await open());
    const preflight = (base: string, origin: string) =>
      fetch(base + USERS, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization',
        },
      });
    const allowed = await preflight(url, listed);
    t.match(Object.fromEntries(allowed.headers), {
      'access-control-allow-origin': listed,
      'access-control-allow-methods': /PATCH/,
      'access-control-allow-headers': 'authorization',
      vary: /origin/i,
    });
    const foreign = ['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null'];
    for (const origin of foreign) {
      for (const base of [url, closed.url]) {
        t.equal((await preflight(base, origin)).headers.get('access-control-allow-origin'), null, origin);
      }
      const answer = await rest('GET', USERS, { as: admin, headers: { origin } });
      t.equal(answer.headers.get('access-control-allow-origin'), null, origin);
    }
    t.equal(
      (await preflight(closed.url, listed)).headers.get('access-control-allow-origin'),
      null,
      'off unless listed',
    );
    const answer = await rest('GET', USERS, { as: admin, headers: { origin: listed } });
    t.equal(answer.headers.get('access-control-allow-origin'), listed);
    const exposed = answer.headers.get('access-control-expose-headers')?.split(/, ?/) ?? [];
    const declared = Object.values(source.components.responses ?? {}).flatMap(({ headers = {} }) =>
      Object.keys(headers),
    );
    // Fetch: what scripts may read anyway, and what they never may.
    const needless = ['Cache-Control', 'Set-Cookie'];
    t.same(exposed, [...new Set(declared)].filter((name) => !needless.includes(name)).sort(), 'all that is declared');
    t.ok(exposed.includes('Preference-Applied'));
    for (const { headers } of [allowed, answer]) t.equal(headers.get('access-control-allow-credentials'), null);
    const options = await rest('OPTIONS', USERS, { headers: { origin: listed } });
    t.match([options.status, options.headers.get('allow')], [204, /GET/], 'an OPTIONS that is no preflight gets Allow');
  });
});

t.test('the origins of contracts and demos', async (t) => {
  const database = await memoryDatabase(t);
  await demo.seed(database.client);
  const { url, rest, log } = await startInstance(t, database);
  const production = await startService(t, await memoryDatabase(t), PRODUCTION);

  t.test('every origin may read the contracts; outside production local pages may call', async (t) => {
    const local = 'http://localhost:5173';
    const evil = 'https://evil.example';
    const allowed = async (base: string, path: string, origin: string, method = 'GET') => {
      const headers = { origin, 'access-control-request-method': 'GET' };
      return (await fetch(base + path, { method, headers })).headers.get(ALLOWED);
    };
    for (const base of [url, production.url]) {
      for (const path of ['/openapi.yaml', '/openapi.json?release=x', '/schema.graphql', '/schema.json']) {
        for (const method of ['GET', 'OPTIONS']) t.equal(await allowed(base, path, evil, method), '*', path);
      }
    }
    const basic = `Basic ${btoa(`${demo.people[0].email}:${demo.people[0].password}`)}`;
    const dependsOn = async (base: string, path: string, headers: Record<string, string> = {}) =>
      (await fetch(base + path, { headers: { origin: local, ...headers } })).headers.get('vary')?.toLowerCase();
    const asVendor = { authorization: basic, accept: 'application/vnd.accord+json' };
    t.equal(await dependsOn(url, '/livez'), 'origin');
    t.equal(await dependsOn(url, '/api/v1/users', asVendor), 'origin, accept', 'on both');
    t.equal(await dependsOn(url, '/openapi.yaml'), 'accept-encoding', 'all origins are told the same');
    t.equal(await dependsOn(production.url, '/livez'), undefined, 'and here');
    for (const origin of [local, 'http://127.0.0.1:8080', 'https://[::1]:8443']) {
      for (const method of ['GET', 'OPTIONS']) t.equal(await allowed(url, '/livez', origin, method), origin);
      t.equal(await allowed(production.url, '/livez', origin), null);
    }
    for (const origin of [evil, 'https://localhost.evil.example', 'null']) {
      t.equal(await allowed(url, '/livez', origin), null);
    }
  });

  t.test('a refused origin is logged once with its remedy; the own origin is not', async (t) => {
    const told = () => log.filter((line) => line.includes('CORS_ORIGINS') && line.includes('https://b.example'));
    for (let i = 0; i < 2; i++) await rest('GET', '/livez', { headers: { origin: 'https://b.example' } });
    t.equal(told().length, 1);
    t.match(JSON.parse(told()[0] ?? '{}'), { level: 40, origin: 'https://b.example' });
    for (let i = 0; i < 100; i++) await rest('GET', '/livez', { headers: { origin: `https://o${i}.example` } });
    t.ok(log.filter((line) => line.includes('CORS_ORIGINS')).length <= 50, 'who makes origins up fills no log');
    t.notOk(log.some((line) => line.includes('CORS_ORIGINS') && line.includes(url)));
  });
});
