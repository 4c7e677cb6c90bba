import type { Socket } from 'node:net';
import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { type Json, PASSWORD, type Person } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { ARRIVAL, PROXIED } from '../../support/production.js';
import { startInstance, startService } from '../../support/service.js';
import { ADD, type Dialled, dial, dialAs, PROTOCOL, refusedUpgrade, SUBSCRIBE } from '../../support/socket.js';

const PINGS = BOUNDS.socketExcess.value;
const INIT = { type: 'connection_init' };
const subscribe = (id: string, channelId = 'channel', since?: string) => ({
  type: 'subscribe',
  id,
  payload: { query: SUBSCRIBE, variables: { channelId, since } },
});
const operation = (id: string, query: string, variables?: object) => ({
  type: 'subscribe',
  id,
  payload: { query, variables },
});
const ofId = (id: string, type: string) => (message: { id?: string; type: string }) =>
  message.id === id && message.type === type;

/** Everything that was sent before has been looked at. */
async function settled({ send, take }: Dialled): Promise<void> {
  send({ type: 'ping' });
  await take(({ type }) => type === 'pong');
}

/** The same without a further ping. */
async function settledWithout({ send, take }: Dialled): Promise<void> {
  send(operation('settled', '{ __typename }'));
  await take(ofId('settled', 'complete'));
}

/** Has the network carry all that is sent meanwhile in one piece. */
function together({ socket }: Dialled, sending: () => void): void {
  const { _socket: stream } = socket as unknown as { _socket: Socket };
  stream.cork();
  sending();
  stream.uncork();
}

onEachDatabase(t, async (t, open) => {
  const database = await open();
  let ahead = 0;
  const time = slowClock();
  const now = () => time() + ahead;
  const service = await startService(t, database, {}, now, { sockets: { recheck: 200 } });
  const { url, viewer, developer, admin, graphql, rest, app, log } = service;

  t.test('the socket follows each rule of the protocol', async (t) => {
    t.equal(await (await dial(t, url, { protocols: ['graphql-ws'] })).closed, 4406);
    t.equal(await (await dial(t, url, { protocols: [] })).closed, 4406);
    t.equal((await dial(t, url, { protocols: ['other', PROTOCOL] })).socket.protocol, PROTOCOL);
    const impatient = await startInstance(t, database, {}, { now, sockets: { initTimeout: 100 } });
    t.equal(await (await dial(t, impatient.url)).closed, 4408, 'no connection_init in time');

    const unread = [
      '{',
      '[]',
      '{}',
      '{"type":"nothing"}',
      '{"type":"subscribe"}',
      '{"type":"next","id":"1","payload":{}}',
    ];
    for (const message of unread) {
      const dialled = await dialAs(t, url, viewer);
      dialled.send(message);
      t.equal(await dialled.closed, 4400, message);
    }
    const early = await dial(t, url);
    early.send(subscribe('1'));
    t.equal(await early.closed, 4401);

    const twice = await dialAs(t, url, viewer);
    twice.send(INIT);
    t.equal(await twice.closed, 4429);

    const taken = await dialAs(t, url, viewer);
    taken.send(subscribe('1'));
    taken.send(subscribe('1'));
    t.equal(await taken.closed, 4409);

    const again = await dialAs(t, url, viewer);
    for (const id of ['1', '1', 'constructor', '__proto__']) {
      again.send(operation(id, '{ __typename }'));
      t.same((await again.take(ofId(id, 'next'))).payload, { data: { __typename: 'Query' } });
      await again.take(ofId(id, 'complete'));
    }
    t.ok(again.socket.readyState === again.socket.OPEN, 'an id may be used again once it is complete');

    const large = await dialAs(t, url, viewer);
    large.send('x'.repeat(256 * 1024 + 1));
    t.equal(await large.closed, 1009);
  });

  t.test('a socket that floods pings or pongs is closed with 1008', async (t) => {
    const floods: [string, (dialled: Dialled) => void][] = [
      ['pings of WebSocket', ({ socket }) => socket.ping()],
      ['pongs of WebSocket', ({ socket }) => socket.pong()],
      ['pings of GraphQL', ({ send }) => send({ type: 'ping' })],
      ['pongs of GraphQL', ({ send }) => send({ type: 'pong' })],
    ];
    for (const [name, flood] of floods) {
      const dialled = await dialAs(t, url, viewer);
      let pongs = 0;
      dialled.socket.on('pong', () => {
        pongs += 1;
      });
      for (let i = 0; i < PINGS; i++) flood(dialled);
      await settledWithout(dialled);
      t.equal(dialled.socket.readyState, dialled.socket.OPEN, `${name} up to the bound`);
      flood(dialled);
      t.equal(await dialled.closed, 1008, name);
      const answered = pongs + dialled.received.filter(({ type }) => type === 'pong').length;
      t.equal(answered, name.startsWith('pings') ? PINGS : 0, 'each ping is answered');
    }
  });

  t.test('a socket that floods operations beyond the rate is closed with 1008', async (t) => {
    const limited = await startInstance(t, database, { RATE_LIMIT: '5' }, { now });
    const dialled = await dialAs(t, limited.url, developer);
    const ended = dialled.closed.then((code) => {
      t.equal(code, 1008);
      return true;
    });
    const isOpen = () => dialled.socket.readyState === dialled.socket.OPEN;
    for (let i = 0; i < 2 * PINGS && isOpen(); i++) {
      dialled.send(operation(`${i}`, '{ __typename }'));
      await Promise.race([ended, dialled.take(({ id }) => id === `${i}`).catch(() => {})]);
    }
    await ended;
  });

  t.test('a flood that continues after the closing frame ends the connection', async (t) => {
    const { socket, closed } = await dialAs(t, url, viewer);
    const { _socket: stream } = socket as unknown as { _socket: Socket };
    // Does not read, so it does not answer the closing handshake.
    stream.pause();
    socket.on('error', () => {});
    const flood = setInterval(() => {
      for (let i = 0; i < PINGS && !stream.destroyed; i++) socket.ping();
    }, 10);
    await eventually('the end of the connection', () => app.websocketServer.clients.size === 0);
    clearInterval(flood);
    stream.destroy();
    await closed;
  });

  t.test('frames that break the protocol do not reach the log', async (t) => {
    for (const [bytes, code] of [
      ['\xff\xff\xff\xff', 1002],
      ['\x81\x81\x00\x00\x00\x00\xff', 1007],
    ] as const) {
      const dialled = await dialAs(t, url, viewer);
      (dialled.socket as unknown as { _socket: Socket })._socket.write(Buffer.from(bytes, 'latin1'));
      t.equal(await dialled.closed, code);
    }
    t.same(
      log.filter((line) => /"level":(40|50|60)/.test(line)),
      [],
    );
  });

  t.test('a socket authenticates by payload or header; others get 4403', async (t) => {
    const me = async (dialled: Dialled) => {
      await dialled.take(({ type }) => type === 'connection_ack');
      dialled.send(operation('me', '{ me { id } }'));
      return (await dialled.take(ofId('me', 'next'))).payload.data.me.id;
    };
    const basic = { Authorization: `Basic ${Buffer.from(`${viewer.email}:${PASSWORD}`).toString('base64')}` };
    for (const payload of [basic, { authorization: viewer.headers['authorization'] }]) {
      const dialled = await dial(t, url);
      dialled.send({ ...INIT, payload });
      t.equal(await me(dialled), String(viewer.id));
    }
    const byHeader = await dial(t, url, { headers: viewer.headers });
    byHeader.send(INIT);
    t.equal(await me(byHeader), String(viewer.id));

    const refused: [object, Record<string, string>][] = [
      [{}, {}],
      [{ payload: { Authorization: 'Bearer nonsense' } }, {}],
      [{ payload: { Authorization: 7 } }, {}],
      [{ payload: { Authorization: 'nonsense' } }, viewer.headers],
      [{}, { authorization: 'Bearer nonsense' }],
    ];
    for (const [init, headers] of refused) {
      const dialled = await dial(t, url, { headers });
      dialled.send({ ...INIT, ...init });
      t.equal(await dialled.closed, 4403, JSON.stringify(init));
    }
  });

  t.test('upgrades succeed at one address, and not by cookie from a foreign page', async (t) => {
    const { host } = new URL(url);
    const cookie = { cookie: 'accord_access=anything' };
    t.equal(await refusedUpgrade(`${url}/graphql`, { ...cookie, origin: 'https://evil.example' }), 403);
    t.equal(await refusedUpgrade(`${url}/graphql`, cookie), 403, 'a browser names its origin');
    await dial(t, url, { headers: { ...cookie, origin: `http://${host}` } });
    await dial(t, url, { headers: { origin: 'https://evil.example' } });
    t.equal(await refusedUpgrade(`${url}/api/v1/users`, viewer.headers), 400);
    t.equal(await refusedUpgrade(`${url}/nowhere`, viewer.headers), 404);
    t.equal(
      (await rest('GET', '/api/v1/users', { as: viewer })).status,
      200,
      'and without an upgrade all is as it was',
    );
  });

  t.test('queries and mutations have the checks of POST', async (t) => {
    const dialled = await dialAs(t, url, developer);
    const run = async (query: string, variables?: object) => {
      dialled.send(operation('op', query, variables));
      const { payload, type } = await dialled.take(({ id, type }) => id === 'op' && type !== 'complete');
      if (type === 'next') await dialled.take(ofId('op', 'complete'));
      return { type, payload, codes: (payload.errors ?? payload).map?.((error: Json) => error.extensions.code) };
    };
    const added = await run(ADD, { channelId: 'sockets', text: 'by socket' });
    t.match(added.payload.data, { addMessage: { id: String } });
    const rows: [string, object | undefined, string][] = [
      ['{ nope }', undefined, 'BAD_REQUEST'],
      ['{ me { id }', undefined, 'BAD_REQUEST'],
      [`{ ${'a '.repeat(2001)} }`, undefined, 'BAD_REQUEST'],
      ['query A { me { id } } query B { me { id } }', undefined, 'BAD_REQUEST'],
      ['{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }', undefined, 'BAD_REQUEST'],
      ['subscription { ...F } fragment F on Subscription { ...F }', undefined, 'BAD_REQUEST'],
      [SUBSCRIBE, {}, 'BAD_REQUEST'],
      [SUBSCRIBE, { channelId: 'no spaces' }, 'VALIDATION_FAILED'],
      ...['x', '-1', '00', '01', '1.0', '', '+1'].map((since): [string, object, string] => [
        SUBSCRIBE,
        { channelId: 'c', since },
        'BAD_REQUEST',
      ]),
      ...[
        'subscription { messageAdded(channelId: "c") @skip(if: true) { id } }',
        'subscription { messageAdded(channelId: "c") @include(if: true) { id } }',
        'subscription($yes: Boolean!) { messageAdded(channelId: "c") @include(if: $yes) { id } }',
        'subscription { ...F } fragment F on Subscription { messageAdded(channelId: "c") @skip(if: false) { id } }',
      ].map((query): [string, object, string] => [query, { yes: true }, 'BAD_REQUEST']),
    ];
    for (const [query, variables, code] of rows) {
      const { type, codes, payload } = await run(query, variables);
      t.same([type, [...new Set(codes)]], ['error', [code]], query.slice(0, 60));
      if (/@skip|@include/.test(query)) t.match(payload[0].message, /root field of a subscription takes no @/, query);
    }
    const failing = await run('{ me { id } user(id: 999999) { id } }');
    t.same([failing.type, failing.codes], ['next', ['NOT_FOUND']]);
    t.match(failing.payload.data, { me: { id: String(developer.id) }, user: null });
    t.match(failing.payload.errors[0], { path: ['user'], extensions: { statusCode: 404 } });
    const other = await dialAs(t, url, viewer);
    other.send(operation('1', ADD, { channelId: 'c', text: 'x' }));
    t.match(await other.take(ofId('1', 'next')), { payload: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } });
  });

  t.test('the 101st subscription is an error until another one completes', async (t) => {
    const dialled = await dialAs(t, url, viewer);
    for (let i = 1; i <= 101; i++) dialled.send(subscribe(String(i)));
    const { payload } = await dialled.take(ofId('101', 'error'));
    t.match(payload, [{ extensions: { code: 'BAD_REQUEST', statusCode: 400 } }]);
    dialled.send({ type: 'complete', id: '7' });
    await settled(dialled);
    const { data } = await graphql(developer, ADD, { channelId: 'channel', text: 'to all' });
    // It is shown what was added before it is in place.
    dialled.send(subscribe('102', 'channel', String(data.addMessage.id - 1)));
    await dialled.take(ofId('102', 'next'));
    t.equal(dialled.received.filter(({ id }) => id === '7').length, 0, 'nothing after complete');
  });

  t.test('of 101 simultaneous operations only the last is refused', async (t) => {
    const dialled = await dialAs(t, url, viewer);
    const all = Array.from({ length: 101 }, (_, index) => String(index + 1));
    together(dialled, () => {
      for (const id of all) dialled.send(subscribe(id, 'at-once'));
    });
    await dialled.take(ofId('101', 'error'));
    const { data } = await graphql(developer, ADD, { channelId: 'at-once', text: 'to all' });
    together(dialled, () => {
      dialled.send({ type: 'complete', id: '1' });
      dialled.send(subscribe('after one has left', 'at-once', String(data.addMessage.id - 1)));
    });
    await dialled.take(ofId('after one has left', 'next'));
    await settled(dialled);
    t.strictSame(
      dialled.received.filter(({ type }) => type === 'error'),
      [],
    );
  });

  t.test('an operation that takes the id of a completed one gets its own results only', async (t) => {
    const dialled = await dialAs(t, url, viewer);
    const { send, take, received } = dialled;
    const replace = (old: object, another: object) =>
      together(dialled, () => {
        send(old);
        send({ type: 'complete', id: 'same' });
        send(another);
      });
    for (let round = 0; round < 10; round++) {
      replace(operation('same', '{ me { id name } }'), operation('same', '{ __typename }'));
      t.same((await take(ofId('same', 'next'))).payload, { data: { __typename: 'Query' } }, 'after a query');
      await take(ofId('same', 'complete'));
      replace(operation('same', '{ nothing }'), operation('same', '{ __typename }'));
      t.same((await take(ofId('same', 'next'))).payload, { data: { __typename: 'Query' } }, 'after a wrong query');
      await take(ofId('same', 'complete'));

      const [left, right] = [`left${round}`, `right${round}`];
      replace(subscribe('same', left), subscribe('same', right));
      if (round % 2 === 0) {
        await settled(dialled);
        // The first subscription of this pair is under way.
        together(dialled, () => {
          send({ type: 'complete', id: 'same' });
          send(subscribe('same', left));
          send({ type: 'complete', id: 'same' });
          send(subscribe('same', right));
        });
      }
      const { data: before } = await graphql(developer, ADD, { channelId: left, text: 'of the completed one' });
      const { data } = await graphql(developer, ADD, { channelId: right, text: 'of the other' });
      t.ok(before.addMessage.id);
      const { payload } = await take(({ id }) => id === 'same');
      t.equal(payload?.data?.messageAdded?.id, data.addMessage.id, 'after a subscription');
      send({ type: 'complete', id: 'same' });
      await settled(dialled);
    }
    t.strictSame(received, [], 'nothing else');
  });

  t.test('the 21st socket of a user is closed until another one closes', async (t) => {
    const dialled = [];
    for (const { socket } of await Promise.all(Array.from({ length: 20 }, () => dialAs(t, url, admin))))
      dialled.push(socket);
    const late = async () => {
      const one = await dial(t, url);
      one.send({ ...INIT, payload: { Authorization: admin.headers['authorization'] } });
      return Promise.race([one.closed, one.take(({ type }) => type === 'connection_ack').then(() => 'ack')]);
    };
    t.equal(await late(), 1013);
    await dialAs(t, url, viewer);
    dialled[0]?.close();
    t.ok(await eventually('a free place', async () => (await late()) === 'ack'));
    for (const socket of dialled) socket.terminate();
  });

  t.test('a client without pongs is closed; others stay', async (t) => {
    const hasty = await startInstance(t, database, {}, { now, sockets: { ping: 100 } });
    const deaf = await dial(t, hasty.url);
    deaf.socket.pong = () => {};
    deaf.send({ ...INIT, payload: { Authorization: viewer.headers['authorization'] } });
    t.equal(await deaf.closed, 1006);
    // Two seconds for an answer from the same process.
    const calm = await startInstance(t, database, { WEBSOCKET_PING: '2000' }, { now });
    const dialled = await dialAs(t, calm.url, viewer);
    let pings = 0;
    dialled.socket.on('ping', () => {
      pings += 1;
    });
    const talking = await dialAs(t, calm.url, viewer);
    let talked = 0;
    talking.socket.pong = () => {};
    talking.socket.on('ping', () => {
      talked += 1;
      talking.send({ type: 'ping' });
    });
    await eventually('a ping after one that was answered', () => pings >= 2);
    t.equal(dialled.socket.readyState, dialled.socket.OPEN);
    await eventually('a ping after one that was answered by a message', () => talked >= 2);
  });

  t.test('the last socket of a user frees its place too', async (t) => {
    const own = await startInstance(t, database, {}, { now });
    const accepted = async () => {
      const one = await dial(t, own.url);
      one.send({ ...INIT, payload: { Authorization: viewer.headers['authorization'] } });
      return Promise.race([one.closed.then(() => false), one.take(({ type }) => type === 'connection_ack')]);
    };
    const { socket, closed } = await dialAs(t, own.url, viewer);
    socket.close();
    await closed;
    for (let n = 1; n <= 20; n++) await eventually(`socket ${n}`, async () => Boolean(await accepted()));
  });

  const login = async ({ email }: Person): Promise<string> => {
    const { body } = await rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    return `Bearer ${body.access_token}`;
  };

  t.test('an expired token closes the socket unless a ping renews it', async (t) => {
    const renewed = await dialAs(t, url, viewer);
    const left = await dialAs(t, url, viewer);
    const foreign = await dialAs(t, url, viewer);
    const bad = await dialAs(t, url, viewer);
    left.send(subscribe('1'));
    ahead = 14 * 60_000;
    const Authorization = await login(viewer);
    renewed.send({ type: 'ping', payload: { Authorization } });
    t.same(await renewed.take(({ type }) => type === 'pong'), { type: 'pong' }, 'the credential is not sent back');
    foreign.send({ type: 'ping', payload: { Authorization: await login(admin) } });
    t.equal(await foreign.closed, 4403);
    bad.send({ type: 'ping', payload: { Authorization: 'Bearer x' } });
    t.equal(await bad.closed, 4403);
    ahead = 16 * 60_000;
    t.equal(await left.closed, 4403);
    t.equal(renewed.socket.readyState, renewed.socket.OPEN);
    renewed.send(operation('1', '{ me { id } }'));
    t.match((await renewed.take(ofId('1', 'next'))).payload, { data: { me: { id: String(viewer.id) } } });
    ahead = 0;
  });

  t.test('each subscribe counts for the rate', async (t) => {
    const before = (await rest('GET', '/api/v1/users', { as: viewer })).headers.get('x-rate-limit-remaining');
    const dialled = await dialAs(t, url, viewer);
    for (const id of ['a', 'b', 'c']) {
      dialled.send(operation(id, '{ me { id } users { id } }'));
      await dialled.take(ofId(id, 'complete'));
    }
    const after = (await rest('GET', '/api/v1/users', { as: viewer })).headers.get('x-rate-limit-remaining');
    t.equal(Number(before) - Number(after), 4);
  });

  t.test('a deleted user or a changed role closes the sockets', async (t) => {
    const [one, other] = [await dialAs(t, url, viewer), await dialAs(t, url, developer)];
    one.send(subscribe('1'));
    await rest('PATCH', `/api/v1/users/${developer.id}`, { as: admin, body: { role: 'viewer' } });
    await rest('DELETE', `/api/v1/users/${viewer.id}`, { as: admin });
    t.same(await Promise.all([one.closed, other.closed]), [4403, 4403]);
  });

  t.test('a stop closes sockets with 1001', async (t) => {
    const dialled = await dialAs(t, url, admin);
    dialled.send(subscribe('1'));
    await settled(dialled);
    const [code] = await Promise.all([dialled.closed, app.close()]);
    t.equal(code, 1001);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('beyond the rate a subscribe is refused, as is introspection in production', async (t) => {
    const environment = { ...PROXIED, RATE_LIMIT: '2' };
    const { url, viewer } = await startService(t, await open(), environment, slowClock());
    const dialled = await dialAs(t, url, viewer, ARRIVAL);
    dialled.send(operation('1', '{ __schema { types { name } } }'));
    t.match((await dialled.take(ofId('1', 'error'))).payload, [{ extensions: { code: 'BAD_REQUEST' } }]);
    dialled.send(operation('2', '{ usrs { id } }'));
    t.notMatch((await dialled.take(ofId('2', 'error'))).payload[0].message, 'Did you mean');
    dialled.send(subscribe('3'));
    t.match((await dialled.take(ofId('3', 'error'))).payload, [
      { extensions: { code: 'RATE_LIMITED', statusCode: 429 } },
    ]);
  });
});
