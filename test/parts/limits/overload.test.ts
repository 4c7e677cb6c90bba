import { once } from 'node:events';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { onEachDatabase, TEST_TIMEOUTS_MS } from '../../support/databases.js';
import { holdUser, someoneWaits } from '../../support/locks.js';
import { eventually } from '../../support/process.js';
import { open as connectTo, raw, statusesOf, untilClosed } from '../../support/raw.js';
import { codeOf, startInstance, startService } from '../../support/service.js';
import { type Dialled, dialAs, refusedUpgrade } from '../../support/socket.js';

/** Those that may wait are refused at once; the ones of a test that are to be served wait for as long as it takes. */
const HASTY = { underWay: 2, waiting: 2, burst: 1, sustained: 1 };
const ORIGIN = 'https://app.example';
const METRICS_TOKEN = 'a token for the metrics of this test';
const WAITING = { ...HASTY, burst: TEST_TIMEOUTS_MS.answer };

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { admin, viewer } = await startService(t, database);
  const write = { as: admin, body: { name: 'Held' } };
  const path = `/api/v1/users/${viewer.id}`;

  /** An instance all of whose places are taken, by writes that wait for a lock. */
  async function full(t: Test, admission: typeof HASTY, before = async (_url: string) => {}, environment = {}) {
    const instance = await startInstance(
      t,
      database,
      { CORS_ORIGINS: ORIGIN, METRICS_TOKEN, ...environment },
      { admission },
    );
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const figure = async (name: string) =>
      Number(
        new RegExp(`^requests_${name} (\\d+)$`, 'm').exec(
          (await instance.rest('GET', '/metrics', { headers })).text,
        )?.[1],
      );
    const reaches = (name: string, expected: number) =>
      eventually(`${expected} requests ${name}`, async () => (await figure(name)) === expected || undefined);
    // It is known who asks, so that nothing but the write waits for the database.
    await instance.rest('GET', path, { as: admin });
    await before(instance.url);
    const { release, over } = await holdUser(database, viewer.id);
    const held = [instance.rest('PATCH', path, write), instance.rest('PATCH', path, write)];
    await reaches('under_way', 2);
    const released = async () => {
      release();
      await over;
      return Promise.all(held);
    };
    return { ...instance, figure, reaches, released };
  }

  t.test('without a free place every address except the probes is 503', async (t) => {
    const { url, rest, graphql, figure, released } = await full(t, HASTY);
    const waits = new Set<string | null>();
    for (const address of ['/api/v1/users', '/openapi.json', '/api/v1/nowhere']) {
      const answer = await rest('GET', address, { as: viewer });
      t.same(codeOf(answer), [503, 'UNAVAILABLE'], address);
      waits.add(answer.headers.get('retry-after'));
    }
    const { codes, headers } = await graphql(viewer, '{ me { id } }');
    t.same(codes, ['UNAVAILABLE']);
    waits.add(headers.get('retry-after'));
    for (let i = 0; i < 12; i++) waits.add((await fetch(`${url}/docs`)).headers.get('retry-after'));
    t.notOk(waits.has(null));
    t.equal(await refusedUpgrade(`${url}/graphql`, {}), 503, 'a WebSocket, which a library tells as 1006');
    // Of five waits: that sixteen draws were the same one has a chance of one to 5^15.
    t.ok(waits.size > 1, `Retry-After is jittered: ${[...waits]}`);
    const headersOfPage = { origin: ORIGIN, 'access-control-request-method': 'POST' };
    t.equal((await fetch(`${url}/api/v1/users`, { method: 'OPTIONS', headers: headersOfPage })).status, 204);
    const page = await rest('GET', '/api/v1/users', { as: viewer, headers: { origin: ORIGIN } });
    t.equal(page.headers.get('access-control-allow-origin'), ORIGIN);
    t.match(page.headers.get('access-control-expose-headers'), /Retry-After/);
    t.same(codeOf(await rest('HEAD', '/api/v1/users')), [503, undefined]);
    t.same(codeOf(await rest('POST', '/livez')), [503, 'UNAVAILABLE'], 'a probe asks by GET');
    t.equal((await rest('GET', '/livez')).status, 200);
    t.equal(await figure('shed_total'), 20);
    if (database.url) {
      // The embedded database does one transaction at a time, and the probe waits for it.
      const ready = await rest('GET', '/readyz');
      t.match([ready.status, ready.body], [200, { status: 'degraded', checks: { load: 'degraded', database: 'ok' } }]);
    }

    t.same(
      (await released()).map(({ status }) => status),
      [200, 200],
      'what had a place was served',
    );
    t.equal((await rest('GET', path, { as: viewer })).status, 200);
    await eventually('the end of the load', async () => (await rest('GET', '/readyz')).body.checks.load === 'ok');
    t.equal(await figure('under_way'), 0);
  });

  t.test('requests wait in a short queue in order; beyond it is 503', async (t) => {
    const { rest, reaches, released } = await full(t, WAITING);
    const turns: string[] = [];
    const inTurn = async (address: string) => {
      const { status } = await rest('GET', address);
      turns.push(`${address} ${status}`);
    };
    const waiting = [inTurn('/openapi.json')];
    await reaches('waiting', 1);
    waiting.push(inTurn('/schema.graphql'));
    await reaches('waiting', 2);
    t.equal((await rest('GET', '/openapi.json')).status, 503);
    await released();
    await Promise.all(waiting);
    t.same(turns.sort(), ['/openapi.json 200', '/schema.graphql 200']);
    await reaches('waiting', 0);
  });

  for (const [prefix, address] of [
    ['/24', (n: number) => `198.51.100.${n}`],
    ['/48', (n: number) => `2001:db8:a:${n}00::1`],
    ['mapped /24', (n: number) => `::ffff:198.51.100.${n}`],
  ] as const)
    t.test(`addresses of one ${prefix} that fill the queue do not push out others`, async (t) => {
      const proxy = { DEMO: 'on', TRUST_PROXY: 'loopback' };
      const { rest, reaches, released } = await full(t, { ...WAITING, waiting: 4 }, undefined, proxy);
      const from = async (ip: string) =>
        (await rest('GET', '/openapi.json', { headers: { 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' } }))
          .status;
      const flood = Array.from({ length: 4 }, (_, n) => from(address(n + 1)));
      await reaches('waiting', 4);
      t.equal(await from(address(9)), 503, 'no place is left for the network');
      const others = [from('203.0.113.1'), from('2001:db8:b::1')];
      t.equal(await Promise.race(flood), 503, 'the network with most places gives way');
      await released();
      t.same(await Promise.all(others), [200, 200]);
      t.same((await Promise.all(flood)).sort(), [200, 200, 503, 503]);
    });

  t.test('a pipeline that is refused is closed', async (t) => {
    const { url, released } = await full(t, HASTY);
    const answer = await raw(url, 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
    const statuses = statusesOf(answer);
    t.same(new Set(statuses), new Set([503]));
    // Requests that wait are refused later than the others, and their answers come first.
    t.ok(statuses.length <= BOUNDS.refusals.value, `${statuses.length} answers`);
    t.equal((await fetch(`${url}/livez`)).status, 200);
    await released();
  });

  t.test('an operation over a socket needs a place', async (t) => {
    const dialled: Dialled[] = [];
    const { released, ...instance } = await full(t, HASTY, async (url) => {
      dialled.push(await dialAs(t, url, admin));
    });
    const [{ take, send }] = dialled as [Dialled];
    send({ id: '1', type: 'subscribe', payload: { query: '{ me { id } }' } });
    t.match(await take(({ id }) => id === '1'), { type: 'error', payload: [{ extensions: { code: 'UNAVAILABLE' } }] });
    await released();
    send({ id: '2', type: 'subscribe', payload: { query: '{ me { id } }' } });
    t.match(await take(({ id }) => id === '2'), { type: 'next', payload: { data: { me: { id: String(admin.id) } } } });
    await instance.reaches('under_way', 0);
  });

  t.test('unroutable and aborted requests free their place', async (t) => {
    const { url, app } = await startInstance(t, database, {}, { admission: HASTY });
    for (const target of ['/%zz', '/api/v1/nowhere', '/api/v1/users/x']) {
      for (let i = 0; i < 3; i++) {
        const [status] = statusesOf(await raw(url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
        t.not(status, 503, target);
      }
    }
    await eventually('places that are free', () => app.core.seams.limits.places.figures().underWay === 0);
  });

  t.test('a client that sends its body slowly uses no place', async (t) => {
    const { url, rest } = await startInstance(t, database, {}, { admission: HASTY });
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'a password of nobody' });
    const slow = Array.from({ length: 5 }, () => connectTo(url));
    const answers = slow.map(untilClosed);
    for (const socket of slow) {
      socket.write(
        'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n' +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      await once(socket, 'data');
    }
    t.equal((await rest('GET', path, { as: viewer })).status, 200);
    for (const [i, socket] of slow.entries()) {
      socket.write(body);
      t.same(statusesOf((await answers[i]) as string), [100, 401]);
    }
  });

  t.test('requests wait for a place after their body', async (t) => {
    const admission = { ...WAITING, waiting: 10 };
    const { url, app, rest } = await startInstance(t, database, {}, { admission });
    const { release, over } = await holdUser(database, viewer.id);
    const body = JSON.stringify(write.body);
    const late = Array.from({ length: 6 }, () => connectTo(url));
    const answers = late.map(untilClosed);
    for (const socket of late) {
      socket.write(
        `PATCH ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n` +
          `Authorization: ${admin.headers['authorization']}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n`,
      );
      await once(socket, 'data');
    }
    for (const socket of late) socket.write(body);
    const { figures } = app.core.seams.limits.places;
    await eventually('a line', () => figures().underWay === 2 && figures().waiting === 4);
    release();
    await over;
    for (const answer of answers) t.same(statusesOf(await answer), [100, 200]);
    t.equal((await rest('GET', path, { as: viewer })).status, 200);
  });

  t.test('an aborted request keeps its place until its work ends', async (t) => {
    if (!database.url) return t.comment('of the embedded database it cannot be seen who waits for a lock');
    const { url, app } = await startInstance(t, database);
    const underWay = () => app.core.seams.limits.places.figures().underWay;
    const { release, over } = await holdUser(database, viewer.id);
    const body = JSON.stringify(write.body);
    const client = connectTo(url);
    client.write(
      `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${admin.headers['authorization']}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await someoneWaits(database);
    client.destroy();
    const connections = promisify(app.server.getConnections.bind(app.server));
    await eventually('a connection that is closed', async () => (await connections()) === 0);
    t.equal(underWay(), 1);
    release();
    await over;
    await eventually('work that is done', () => underWay() === 0);
  });

  t.test('an aborted waiting request frees its place', async (t) => {
    const { url, reaches, released } = await full(t, WAITING);
    const client = connectTo(url);
    client.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n');
    await reaches('waiting', 1);
    client.destroy();
    await released();
    await reaches('waiting', 0);
    await reaches('under_way', 0);
  });
});
