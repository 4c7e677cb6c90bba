import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { WebSocket } from 'ws';
import { openDatabase } from '../../../src/platform/database/open.js';
import { administration } from '../../../src/platform/parts/identity/keys/administration.js';
import { type Opened, onEachDatabase } from '../../support/databases.js';
import { holdUser } from '../../support/locks.js';
import { type Json, PASSWORD, passwordHash } from '../../support/people.js';
import { basic, eventually } from '../../support/process.js';
import { type Instance, type RestAnswer, startInstance, startService } from '../../support/service.js';
import { ADD, type Dialled, dial, SUBSCRIBE } from '../../support/socket.js';
import { watchStatements } from '../../support/statements.js';
import { tcpProxy } from '../../support/tcp-proxy.js';

const AUTH = '/api/v1/auth';
const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
/** Checks so rarely that only a signal, or the check of an operation, ends a socket. */
const rareChecks = { recheck: 0x7fffffff, signalCheck: 0x7fffffff };

type Headers = Record<string, string>;

/** A login, and the headers that send its tokens. */
interface Login {
  /** The headers of a request. */
  headers: Headers;
  /** The headers of a WebSocket upgrade. */
  upgrade: Headers;
  payload: object;
  refreshToken: string | undefined;
}

/** Credentials that end with their session. */
const sessionCredentials = {
  'an opaque token in connection_init': { flow: 'opaque', cookie: false, inUpgrade: false },
  'an opaque token in the upgrade': { flow: 'opaque', cookie: false, inUpgrade: true },
  'a cookie with a JWT': { flow: 'jwt', cookie: true, inUpgrade: true },
  'a cookie with an opaque token': { flow: 'opaque', cookie: true, inUpgrade: true },
} as const;
/** Credentials of access tokens, which do not end with a session. */
const bearers = {
  'a JWT in connection_init': { flow: 'jwt', cookie: false, inUpgrade: false },
  'a JWT in the upgrade': { flow: 'jwt', cookie: false, inUpgrade: true },
} as const;
type Way = (typeof sessionCredentials & typeof bearers)[keyof typeof sessionCredentials | keyof typeof bearers];

const ofId = (id: string, type: string) => (message: Json) => message.id === id && message.type === type;
const add = (id: string, text: string, channelId = 'ends') => ({
  type: 'subscribe',
  id,
  payload: { query: ADD, variables: { channelId, text } },
});

/**
 * Two instances of one database, or one instance of an embedded one. Administrators use Basic, which does not depend on
 * keys.
 */
async function people(t: Test, database: Opened, now: () => number) {
  const first = await startService(t, database, {}, now, { sockets: rareChecks });
  const admin = basic(first.admin.email, PASSWORD);
  let made = 0;

  async function another(url = database.url, sockets: object = rareChecks): Promise<Instance> {
    if (url === undefined) return first;
    const connection = await openDatabase(url);
    t.teardown(connection.close);
    return startInstance(t, connection, {}, { now, sockets });
  }

  async function person(): Promise<{ id: number; email: string }> {
    made += 1;
    const email = `person${made}@example.com`;
    const data = { name: 'N', email, emailKey: email, role: 'DEVELOPER', passwordHash: await passwordHash } as const;
    return database.client.user.create({ data, select: { id: true, email: true } });
  }

  /** @param at the instance of the socket, whose origin a browser sends */
  async function logIn(email: string, { flow, cookie, inUpgrade }: Way, at: Instance): Promise<Login> {
    const answer = await first.rest('POST', `${AUTH}/login`, { body: { email, password: PASSWORD, flow, cookie } });
    if (answer.status !== 200) throw new Error(`The login was answered with ${answer.status}.`);
    const { token, access_token, refresh_token } = answer.body;
    if (!cookie) {
      const authorization = `Bearer ${token ?? access_token}`;
      const headers = { authorization };
      const upgrade = inUpgrade ? headers : {};
      return {
        headers,
        upgrade,
        payload: inUpgrade ? {} : { Authorization: authorization },
        refreshToken: refresh_token,
      };
    }
    const lines = answer.headers.getSetCookie().map((line) => line.split(';')[0] as string);
    const [access = '', refresh = ''] = ['access', 'refresh'].map((name) => lines.find((line) => line.includes(name)));
    const headers = { cookie: access, origin: first.url };
    const refreshToken = flow === 'jwt' ? refresh.split('=')[1] : undefined;
    return { headers, upgrade: { ...headers, origin: at.url }, payload: {}, refreshToken };
  }

  return { first, admin, another, person, logIn };
}

async function connect(t: Test, { url }: Instance, { upgrade, payload }: Login): Promise<Dialled> {
  const dialled = await dial(t, url, { headers: upgrade });
  dialled.send({ type: 'connection_init', payload });
  return dialled;
}

/** An open socket that has answered an operation. */
async function opened(t: Test, instance: Instance, login: Login): Promise<Dialled> {
  const dialled = await connect(t, instance, login);
  await dialled.take(({ type }) => type === 'connection_ack');
  await works(t, dialled);
  return dialled;
}

async function works(t: Test, { send, take }: Dialled): Promise<void> {
  send(add('before', 'before'));
  t.match((await take(ofId('before', 'next'))).payload, { data: { addMessage: { id: String } } });
  await take(ofId('before', 'complete'));
}

/** Waits until the socket has ended. Operations sent afterwards must have no effect, which the last case checks. */
async function ends(t: Test, { send, closed, received }: Dialled, what: string): Promise<void> {
  send(add('after', 'after'));
  t.equal(await closed, 4403, what);
  t.notOk(received.some(ofId('after', 'next')), what);
}

onEachDatabase(t, async (t, open) => {
  let offset = 0;
  // The test moves the clock.
  const start = Date.now();
  const database = await open();
  const { client, generation } = database;
  const { first, admin, another, person, logIn } = await people(t, database, () => start + offset);
  const second = await another();
  const { rest } = first;
  const commands = administration({ client, generation, algorithm: 'RS256', keySecrets: [], now: Date.now });

  interface Case {
    id: number;
    login: Login;
    /** Another session of the same user. */
    other: Login;
  }
  const refresh = (token: string) => rest('POST', `${AUTH}/refresh`, { body: { refresh_token: token } });
  const idOf = async ({ headers }: Login): Promise<string> =>
    (await rest('GET', `${AUTH}/sessions`, { headers })).body.find(({ current }: Json) => current).id;
  const setPassword = (id: number, headers: Headers, body: object) =>
    rest('PUT', `/api/v1/users/${id}/password`, { headers, body: { new_password: `${PASSWORD}, changed`, ...body } });

  /** The causes of the end of a session, with the expected answer. `refreshed`: only with a refresh token. */
  const causes: Record<string, { refreshed?: true; act: (subject: Case) => Promise<RestAnswer>; status: number }> = {
    'its logout': { act: ({ login: { headers } }) => rest('POST', `${AUTH}/logout`, { headers }), status: 204 },
    'the logout by its refresh token': {
      refreshed: true,
      act: ({ login: { refreshToken } }) => rest('POST', `${AUTH}/logout`, { body: { refresh_token: refreshToken } }),
      status: 204,
    },
    'the end of all others': {
      act: ({ other: { headers } }) => rest('DELETE', `${AUTH}/sessions`, { headers }),
      status: 204,
    },
    'its end in the list': {
      act: async ({ login, other: { headers } }) =>
        rest('DELETE', `${AUTH}/sessions/${await idOf(login)}`, { headers }),
      status: 204,
    },
    'a refresh token used twice': {
      refreshed: true,
      act: async ({ login: { refreshToken = '' } }) => {
        await refresh((await refresh(refreshToken)).body.refresh_token);
        return refresh(refreshToken);
      },
      status: 401,
    },
    'a new password': {
      act: ({ id, other: { headers } }) => setPassword(id, headers, { current_password: PASSWORD }),
      status: 204,
    },
    'a new password by an administrator': { act: ({ id }) => setPassword(id, admin, {}), status: 204 },
    'another role': {
      act: ({ id }) => rest('PATCH', `/api/v1/users/${id}`, { headers: admin, body: { role: 'viewer' } }),
      status: 200,
    },
    'the deletion of the user': {
      act: ({ id }) => rest('DELETE', `/api/v1/users/${id}`, { headers: admin }),
      status: 204,
    },
  };
  /** Causes that end one session, and no other session of the user. */
  const single = ['its logout', 'the logout by its refresh token', 'its end in the list', 'a refresh token used twice'];

  for (const [name, way] of Object.entries(sessionCredentials)) {
    t.test(`every end of its session closes the socket of ${name} on the other instance`, async (t) => {
      for (const [cause, { refreshed, act, status }] of Object.entries(causes)) {
        if (refreshed && way.flow !== 'jwt') continue;
        const { id, email } = await person();
        const login = await logIn(email, way, second);
        const other = await logIn(email, sessionCredentials['an opaque token in connection_init'], second);
        const [socket, left] = [await opened(t, second, login), await opened(t, second, other)];
        t.equal((await act({ id, login, other })).status, status, cause);
        await ends(t, socket, cause);
        if (single.includes(cause)) await works(t, left);
        else if (cause !== 'the end of all others') await ends(t, left, `${cause}, another session`);
        left.socket.terminate();
      }
    });
  }

  t.test('a socket ends when its credential expires', async (t) => {
    const { email } = await person();
    const expiring: [Dialled, number, string][] = [];
    for (const [name, way] of Object.entries({ ...sessionCredentials, ...bearers })) {
      const lifetime = way.flow === 'jwt' ? 15 * 60 * SECOND : 30 * DAY;
      expiring.push([await opened(t, second, await logIn(email, way, second)), lifetime, name]);
    }
    for (const at of [15 * 60 * SECOND, 30 * DAY]) {
      offset = at - 60 * SECOND;
      for (const [socket, lifetime] of expiring) if (lifetime === at) await works(t, socket);
      offset = at + SECOND;
      for (const [socket, lifetime, name] of expiring) if (lifetime === at) await ends(t, socket, name);
    }
    offset = 0;
  });

  t.test('an access token is valid until it expires, also after the end of its session', async (t) => {
    const { email } = await person();
    const bystanders = [];
    for (const way of Object.values(bearers)) {
      const login = await logIn(email, way, second);
      bystanders.push(await opened(t, second, login));
      const { refreshToken = '' } = login;
      t.equal((await rest('POST', `${AUTH}/logout`, { body: { refresh_token: refreshToken } })).status, 204);
      t.equal((await refresh(refreshToken)).status, 401);
    }
    // Earlier signals have arrived when this socket has closed.
    const cookie = await opened(t, second, await logIn(email, sessionCredentials['a cookie with a JWT'], second));
    t.equal((await rest('DELETE', `${AUTH}/sessions`, { headers: basic(email, PASSWORD) })).status, 204);
    await ends(t, cookie, 'a cookie is of its session');
    for (const socket of bystanders) await works(t, socket);
    for (const { socket } of bystanders) socket.terminate();
  });

  t.test('a credential of an ended session opens no socket', async (t) => {
    const { email } = await person();
    for (const [name, way] of Object.entries(sessionCredentials)) {
      const login = await logIn(email, way, second);
      const waiting = await dial(t, second.url, { headers: login.upgrade });
      t.equal((await rest('POST', `${AUTH}/logout`, { headers: login.headers })).status, 204);
      waiting.send({ type: 'connection_init', payload: login.payload });
      t.equal(await waiting.closed, 4403, `${name}, between upgrade and connection_init`);
      t.notOk(waiting.received.some(({ type }) => type === 'connection_ack'));
    }
    const login = await logIn(email, sessionCredentials['a cookie with a JWT'], second);
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: login.headers })).status, 204);
    t.equal(
      await (await connect(t, second, login)).closed,
      4403,
      'a JWT still verifies, but the cookie is of its session',
    );
  });

  t.test('the end of hundreds of sessions closes the socket of each', async (t) => {
    const { id: userId, email } = await person();
    const [createdAt, expiresAt] = [new Date(start + offset), new Date(start + offset + DAY)];
    const data = Array.from({ length: 250 }, () => ({ id: randomUUID(), userId, createdAt, expiresAt }));
    await client.session.createMany({ data });
    const opaque = sessionCredentials['an opaque token in connection_init'];
    const { closed } = await opened(t, second, await logIn(email, opaque, second));
    let code: number | undefined;
    void closed.then((number) => {
      code = number;
    });
    const { headers } = await logIn(email, opaque, second);
    t.equal((await rest('DELETE', `${AUTH}/sessions`, { headers })).status, 204);
    t.equal(await eventually('the end of the socket', () => code), 4403);
  });

  t.test('a renewed socket ends with the session of its new credential', async (t) => {
    const { email } = await person();
    const [one, two] = [
      await logIn(email, sessionCredentials['an opaque token in connection_init'], second),
      await logIn(email, sessionCredentials['an opaque token in connection_init'], second),
    ];
    const socket = await opened(t, second, one);
    const witness = await opened(t, second, one);
    socket.send({ type: 'ping', payload: two.payload });
    await socket.take(({ type }) => type === 'pong');
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: one.headers })).status, 204);
    await ends(t, witness, 'the one that was not renewed');
    await works(t, socket);
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: two.headers })).status, 204);
    await ends(t, socket, 'and then the other one');
  });

  t.test('a retired key closes the sockets of its tokens on every instance', async (t) => {
    const { email } = await person();
    const sockets: [Dialled, string][] = [];
    for (const [name, way] of Object.entries({
      ...bearers,
      'a cookie with a JWT': sessionCredentials['a cookie with a JWT'],
    })) {
      for (const instance of new Set([first, second])) {
        sockets.push([await opened(t, instance, await logIn(email, way, instance)), name]);
      }
    }
    const login = await logIn(email, sessionCredentials['an opaque token in connection_init'], second);
    const opaque = await opened(t, second, login);
    const [{ kid } = { kid: '' }] = await commands['keys.list']({});
    const ears = sockets.map(([{ socket }]) => deaf(socket));
    await commands['keys.retire']({ kid });
    for (const [index, [{ send }, name]] of sockets.entries()) {
      // A bearer is verified without a lookup, so it ends when its instance receives the signal.
      if (name in sessionCredentials) send(add('after', 'after'));
      t.equal(await ears[index]?.closing, 4403, name);
      send(add('after', 'after'));
      t.equal(await ears[index]?.untilGone(), 0, `${name}, bytes after the closing frame`);
    }
    await works(t, opaque);
    for (const way of Object.values(bearers)) {
      // The issuing instance may not have received the signal of the new key yet.
      const fresh = await eventually('a token of the new key', async () => {
        const one = await logIn(email, way, second);
        return (await second.rest('GET', `${AUTH}/me`, { headers: one.headers })).status === 200 ? one : undefined;
      });
      await works(t, await opened(t, second, fresh));
    }
  });

  t.test(
    'a client that does not close its socket gets no more events, and no more operations run for it',
    async (t) => {
      const { email } = await person();
      const login = await logIn(email, sessionCredentials['an opaque token in the upgrade'], second);
      const victim = await opened(t, second, login);
      const other = await opened(
        t,
        second,
        await logIn(email, sessionCredentials['an opaque token in the upgrade'], second),
      );
      const subscribe = {
        type: 'subscribe',
        id: 'live',
        payload: { query: SUBSCRIBE, variables: { channelId: 'live' } },
      };
      const follows = async ({ take }: Dialled, text: string) => {
        other.send(add('live-add', text, 'live'));
        await other.take(ofId('live-add', 'complete'));
        return take((message) => ofId('live', 'next')(message) && message.payload.data.messageAdded.text === text);
      };
      for (const socket of [victim, other]) {
        socket.send(subscribe);
        await works(t, socket);
      }
      t.ok(await follows(victim, 'while it may'));

      const ears = deaf(victim.socket);
      t.equal((await rest('POST', `${AUTH}/logout`, { headers: login.headers })).status, 204);
      t.equal(await ears.closing, 4403);
      victim.send(add('after', 'after'));
      t.ok(await follows(other, 'when it may not'), 'the others go on');
      t.equal(await ears.untilGone(), 0, 'bytes after the closing frame');
    },
  );

  t.test('operations that were sent after the end have no effect', async (t) => {
    t.equal(await client.message.count({ where: { text: 'after' } }), 0);
    t.not(await client.message.count({ where: { text: 'before' } }), 0, 'as it is done in time');
  });
});

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client, generation, url } = database;
  const { first, another, person, logIn } = await people(t, database, Date.now);
  const { rest } = first;
  const commands = administration({ client, generation, algorithm: 'RS256', keySecrets: [], now: Date.now });
  const ofBearer = bearers['a JWT in the upgrade'];
  const { 'an opaque token in connection_init': opaque, 'a cookie with a JWT': cookie } = sessionCredentials;

  t.test('sockets close even if all signals are lost', { skip: url === undefined }, async (t) => {
    const address = new URL(url as string);
    const target = { host: address.hostname, port: Number(address.port || 5432) };
    const line = await tcpProxy(t, target, { named: 'accord signals' });
    Object.assign(address, { hostname: '127.0.0.1', port: String(line.port) });
    const asking = await another(address.href, {});
    const patient = await another(address.href);
    t.teardown(() => {
      line.set('sound');
      line.cut();
    });
    const { email } = await person();
    line.set('black hole');
    const unheard = async ({ socket }: Dialled) => {
      await works(t, await opened(t, patient, await logIn(email, opaque, patient)));
      t.equal(socket.readyState, socket.OPEN, 'nothing has been heard');
    };
    for (const way of [opaque, cookie]) {
      const logins = [await logIn(email, way, asking), await logIn(email, way, patient)] as const;
      const [asked, operated] = [await opened(t, asking, logins[0]), await opened(t, patient, logins[1])];
      for (const { headers } of logins) t.equal((await rest('POST', `${AUTH}/logout`, { headers })).status, 204);
      t.equal(await asked.closed, 4403, 'by asking');
      await unheard(operated);
      await ends(t, operated, 'by an operation');
    }
    const asked = await opened(t, asking, await logIn(email, ofBearer, asking));
    const operated = await opened(t, patient, await logIn(email, cookie, patient));
    const [{ kid } = { kid: '' }] = await commands['keys.list']({});
    await commands['keys.retire']({ kid });
    t.equal(await asked.closed, 4403, 'a retired key, by asking');
    await unheard(operated);
    await ends(t, operated, 'a retired key, by an operation');
    t.equal(await client.message.count({ where: { text: 'after' } }), 0);
  });

  t.test('an operation that waits when its session ends has no effect', { skip: url === undefined }, async (t) => {
    const instance = await another();
    const rename = (id: number) => `mutation { updateUser(id: ${id}, name: "Renamed") { name } }`;
    for (const [what, name] of [
      ['the session ends', 'N'],
      ['it does not', 'Renamed'],
    ] as const) {
      const { id, email } = await person();
      const login = await logIn(email, opaque, instance);
      const { send, closed, take } = await opened(t, instance, login);
      const { release, over } = await holdUser(database, id);
      send({ type: 'subscribe', id: 'waits', payload: { query: rename(id) } });
      const others = async (state: string) => {
        const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${state}`;
        return (await client.$queryRawUnsafe<object[]>(sql)).length;
      };
      await eventually('an operation that waits', async () => (await others("wait_event_type = 'Lock'")) || undefined);
      if (name === 'N') {
        t.equal((await rest('POST', `${AUTH}/logout`, { headers: login.headers })).status, 204);
        t.equal(await closed, 4403);
      }
      release();
      await over;
      if (name !== 'N') await take(ofId('waits', 'complete'));
      await eventually('nobody at work', async () => (await others('xact_start IS NOT NULL')) === 0 || undefined);
      t.match(await client.user.findUnique({ where: { id } }), { name }, what);
    }
  });

  t.test('one query checks all sockets, and no query runs without sockets', async (t) => {
    const recheck = 50;
    // An instance without signals checks at other times, too.
    const instance = await startInstance(t, database, {}, { sockets: { recheck, signalCheck: 600 * SECOND } });
    const { seen, stop } = watchStatements(/FROM "public"\."signing_keys" .*"kid" (IN|=)/);
    t.teardown(stop);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, recheck);
    t.teardown(() => clearInterval(timer));
    await eventually('some time', () => ticks >= 10 || undefined);
    t.equal(seen.length, 0);
    const open = [];
    for (let i = 0; i < 5; i++) {
      const { email } = await person();
      for (const way of [opaque, cookie, ofBearer]) {
        open.push(await opened(t, instance, await logIn(email, way, instance)));
      }
    }
    seen.length = 0;
    const began = performance.now();
    await eventually('some questions', () => seen.length >= 10 || undefined);
    // On a busy machine a waiting read is sent on a second connection as well.
    const checks = (performance.now() - began) / recheck + 1;
    t.ok(seen.length <= 2 * checks, `not one for each of ${open.length} sockets`);
    for (const { socket } of open) socket.terminate();
  });

  t.test('a query finds ended sessions without a signal', async (t) => {
    const { id: userId, email } = await person();
    const present = new Date(Date.now() - SECOND);
    const changes: [string, Way, () => Promise<unknown>][] = [
      ['an end', opaque, () => client.session.updateMany({ where: { userId }, data: { revokedAt: present } })],
      ['the end of time', cookie, () => client.session.updateMany({ where: { userId }, data: { expiresAt: present } })],
      ['no session', cookie, () => client.session.deleteMany({ where: { userId } })],
      ['no key', ofBearer, () => client.signingKey.deleteMany()],
      ['another role', opaque, () => client.user.update({ where: { id: userId }, data: { role: 'VIEWER' } })],
      ['no user', opaque, () => client.user.delete({ where: { id: userId } })],
    ];
    const instance = await startInstance(t, database, {}, { sockets: { recheck: 200 } });
    for (const [what, way, change] of changes) {
      const { closed, take } = await connect(t, instance, await logIn(email, way, instance));
      await take(({ type }) => type === 'connection_ack');
      await change();
      t.equal(await closed, 4403, what);
    }
  });
});

/** Keeps a client from answering the closing frame. Called before the frame arrives. */
function deaf(socket: WebSocket) {
  const { _socket: line } = socket as unknown as { _socket: Socket };
  let bytes = 0;
  const closing = new Promise<number>((resolve) => {
    socket.close = (code = 1005) => {
      line.on('data', ({ length }) => {
        bytes += length;
      });
      resolve(code);
    };
  });
  return {
    closing,
    /** @returns the bytes after the closing frame, until the connection ends */
    async untilGone(): Promise<number> {
      const gone = new Promise((resolve) => line.once('close', resolve));
      line.end();
      await gone;
      return bytes;
    },
  };
}
