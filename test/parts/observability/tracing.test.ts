import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { eventually } from '../../support/process.js';
import { startInstance, startService } from '../../support/service.js';
import { dialAs } from '../../support/socket.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const ENABLED = { REQUEST_LOG_RATE: '1000' };

type Line = Record<string, unknown>;
const requestLines = (log: string[]): Line[] =>
  log.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const service = await startService(t, database, ENABLED);
  const { url, log, rest, viewer, admin } = service;
  /** Returns the line of the request with an id. */
  const lineOf = (id: string) =>
    eventually(`the line of ${id}`, () => requestLines(log).find(({ requestId }) => requestId === id));

  t.test('a valid X-Request-Id is kept, and any other is replaced', async (t) => {
    const idFor = async (given: string) =>
      (await fetch(`${url}/livez`, { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    for (const id of ['7', 'a'.repeat(128), 'Root=1-67891233-abcdef', 'a_b.c:d+e/f=g@h-i'])
      t.equal(await idFor(id), id);
    for (const id of ['a'.repeat(129), 'a b', 'a"b', '{}', 'a,b', 'é'])
      t.match(await idFor(id), /^[\da-f]{8}-[\da-f]{4}-4/, id);
    const { body, headers } = await rest('GET', '/api/v1/users/999999', {
      as: viewer,
      headers: { 'x-request-id': 'mine' },
    });
    t.strictSame([body.requestId, headers.get('x-request-id')], ['mine', 'mine']);
  });

  t.test('each REST request has one line without values of the caller', async (t) => {
    const secret = 'hunter2-in-the-query';
    const send = (id: string, path: string, headers = {}) =>
      fetch(url + path, { headers: { ...viewer.headers, 'x-request-id': id, ...headers } });
    await send('found', `/api/v1/users/${viewer.id}`, { traceparent: TRACEPARENT });
    await send('refused', `/api/v1/users/${viewer.id}?q=${secret}`);
    await send('nowhere', `/nowhere/${secret}`);
    await fetch(`${url}/livez`, { headers: { 'x-request-id': 'anonymous', traceparent: `00-${TRACE_ID}-0-01` } });
    const common = { level: 30, method: 'GET', ms: Number };
    const getUser = { ...common, operation: 'getUser', route: '/api/v1/users/:user_id', caller: viewer.id };
    t.match(await lineOf('found'), { ...getUser, status: 200, traceId: TRACE_ID, code: undefined });
    t.match(await lineOf('refused'), {
      ...getUser,
      status: 400,
      code: 'BAD_REQUEST',
      traceId: undefined,
    });
    t.match(await lineOf('nowhere'), { ...common, status: 404, code: 'NOT_FOUND', operation: undefined });
    t.match(await lineOf('anonymous'), { operation: 'getLiveness', caller: undefined, traceId: undefined });
    for (const id of ['found', 'refused', 'nowhere', 'anonymous'])
      t.equal(requestLines(log).filter(({ requestId }) => requestId === id).length, 1, id);
    t.notMatch(log.join(''), secret);
  });

  t.test('the line of a GraphQL request names its root fields and codes, without variables', async (t) => {
    const send = (id: string, query: string, variables = {}) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          ...viewer.headers,
          'content-type': 'application/json',
          'x-request-id': id,
          traceparent: TRACEPARENT,
        },
        body: JSON.stringify({ query, variables }),
      });
    const secret = 'hunter2 in a variable';
    await send('two', 'query ($id: ID!) { me { id } user(id: $id) { id } a: me { name } }', { id: 999_999 });
    await send('invalid', '{ me { nothing } }', { secret });
    const common = { method: 'POST', route: '/graphql', status: 200, caller: viewer.id, traceId: TRACE_ID };
    t.match(await lineOf('two'), { ...common, operation: 'Query.me,Query.user', code: 'NOT_FOUND' });
    t.match(await lineOf('invalid'), { ...common, operation: undefined, code: 'BAD_REQUEST' });
    t.notMatch(log.join(''), secret);
    const { text } = await rest('GET', '/metrics');
    t.match(text, /^graphql_field_duration_seconds_count\{type="Query",field="user"\} 1$/m);
    t.match(text, /^graphql_field_duration_seconds_count\{type="Query",field="me"\} 2$/m);
  });

  t.test('each operation of a socket has one line, also when it is refused', async (t) => {
    const socket = await dialAs(t, url, viewer);
    const before = requestLines(log).length;
    const subscribe = (id: string, query: string) => socket.send({ id, type: 'subscribe', payload: { query } });
    subscribe('1', '{ me { id } }');
    subscribe('2', '{ user(id: 999999) { id } }');
    subscribe('3', '{ nothing }');
    subscribe('4', 'subscription { messageAdded(channelId: "traced") { id } }');
    const lines = await eventually('three lines', () => {
      const found = requestLines(log).slice(before);
      return found.length >= 3 && found;
    });
    const common = { transport: 'socket', route: '/graphql', caller: viewer.id, ms: Number, requestId: String };
    const of = (operation: string | undefined, all: Line[]) => all.filter((line) => line['operation'] === operation);
    t.match(of('Query.me', lines), [{ ...common, code: undefined }]);
    t.match(of('Query.user', lines), [{ ...common, code: 'NOT_FOUND' }]);
    t.match(of(undefined, lines), [{ ...common, code: 'BAD_REQUEST' }]);
    socket.send({ id: '4', type: 'complete' });
    const last = await eventually('the line of the subscription', () => requestLines(log).slice(before)[3]);
    t.match(last, { ...common, operation: /^Subscription\./ });
    socket.socket.terminate();
  });

  t.test('the line of an internal failure has the members of its request', async (t) => {
    await database.client.$executeRawUnsafe('ALTER TABLE users RENAME TO users_away');
    try {
      const headers = { ...admin.headers, 'x-request-id': 'broken', traceparent: TRACEPARENT };
      await fetch(`${url}/api/v1/users?limit=1`, { headers });
      const query = JSON.stringify({ query: '{ user(id: 1) { id } }' });
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'x-request-id': 'broken too', 'content-type': 'application/json' },
        body: query,
      });
    } finally {
      await database.client.$executeRawUnsafe('ALTER TABLE users_away RENAME TO users');
    }
    const failure = log.map((line) => JSON.parse(line) as Line).find(({ msg }) => msg === 'a request failed');
    const { operation, route, caller, status, code, traceId, requestId, method } = await lineOf('broken');
    const members = { operation, route, caller, status, code, traceId, requestId, method };
    t.match(members, { operation: 'listUsers', status: 500, code: 'INTERNAL', traceId: TRACE_ID, caller: admin.id });
    t.match(failure, { level: 50, ...members, ms: Number, err: { stack: String } });
  });
});

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('lines beyond the rate are counted, and 0 means none', async (t) => {
    for (const [rate, expected] of [
      [4, 2],
      [0, 0],
    ] as const) {
      const { url, log } = await startInstance(t, database, { REQUEST_LOG_RATE: String(rate) });
      await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/livez`)));
      if (rate > 0)
        await eventually('the number of omitted lines', () => log.some((line) => line.includes('"omitted"')));
      const omitted = log.flatMap((line) => (JSON.parse(line) as Line)['omitted'] ?? []);
      const written = requestLines(log).length;
      if (rate > 0) t.equal(written + omitted.reduce((sum: number, count) => sum + Number(count), 0), 20);
      t.ok(rate === 0 ? written === 0 : written >= expected && written < 20, `${written} lines`);
    }
  });

  t.test('no number of reads hides a refusal, and no number of refusals hides a fault', async (t) => {
    const { url, log, graphql, admin } = await startService(t, database, { REQUEST_LOG_RATE: '10' });
    const many = (path: string) => Promise.all(Array.from({ length: 30 }, () => fetch(url + path)));
    const query = () => graphql(admin, '{ me { id } }');
    await Promise.all([many('/livez'), ...Array.from({ length: 30 }, query)]);
    t.equal((await fetch(`${url}/api/v1/users`)).status, 401);
    await many('/nowhere');
    await database.client.$executeRawUnsafe('ALTER TABLE users RENAME TO users_away');
    await fetch(`${url}/api/v1/users?limit=1`, { headers: admin.headers });
    await database.client.$executeRawUnsafe('ALTER TABLE users_away RENAME TO users');
    const statuses = await eventually('the line of the fault', () => {
      const found = requestLines(log).map(({ status }) => status);
      return found.includes(500) && found;
    });
    t.ok(statuses.includes(401), 'the refusal before many others');
    t.ok(statuses.filter((status) => status === 200).length < 60, 'not all reads');
  });
});
