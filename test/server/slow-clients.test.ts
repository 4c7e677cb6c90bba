import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { tlsFiles } from '../support/certificate.js';
import { breaches } from '../support/contract.js';
import { memoryDatabase } from '../support/databases.js';
import { eventually } from '../support/process.js';
import { exchangeOf, statusesOf } from '../support/raw.js';
import { type Instance, startInstance, startService } from '../support/service.js';
import { PROTOCOL } from '../support/socket.js';

const LOGIN = '/api/v1/auth/login';
/** Milliseconds; enough for what is no slow client on a busy machine. */
const QUICK = {
  handshake: 2000,
  headers: 2000,
  request: 3000,
  handler: 10_000,
  unread: 60_000,
  idle: 60_000,
};
const DRIP = 50;

interface Listener {
  name: string;
  /** Which of the two services it is of. */
  tls: boolean;
}
const LISTENERS: Listener[] = [
  { name: 'plain HTTP/1.1', tls: false },
  { name: 'HTTP/1.1 over TLS', tls: true },
];

/** @param allowHalfOpen for a client that goes on when the server has said its last word */
async function connectTo(t: Test, { url }: Instance, allowHalfOpen = false): Promise<Socket> {
  const socket = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen });
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** A connection with TLS, where the listener has it. */
async function open(t: Test, instance: Instance, { tls }: Listener, allowHalfOpen = false): Promise<Duplex> {
  const socket = await connectTo(t, instance, allowHalfOpen);
  if (!tls) return socket;
  const secure = connectTls({ socket, rejectUnauthorized: false });
  secure.on('error', () => {});
  await once(secure, 'secureConnect');
  return secure;
}

/** Writes a byte now and then until the connection is gone, which is what it resolves with: all that came on it. */
async function drip(socket: Duplex, byte: () => Uint8Array): Promise<string> {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const timer = setInterval(() => socket.writable && socket.write(byte()), DRIP);
  await closed(socket);
  clearInterval(timer);
  return received;
}

/** Resolves when the server has closed a connection; a test that waits in vain fails by its time-out. */
function closed(socket: Duplex): Promise<void> {
  socket.resume();
  return gone(socket);
}

/** The same without reading what comes; a reset is an end as well, so this is no `once`. */
const gone = (socket: Duplex) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

const SPACE = Buffer.from(' ');
const LETTER = Buffer.from('x');
/** Most of the time the cases wait. A new object each time, for tap writes into it. */
const atOnce = () => ({ buffered: true });

t.test('slow clients are cut off on each listener', { jobs: 30 }, async (t) => {
  const database = await memoryDatabase(t);
  const { files, write } = tlsFiles(t);
  write('localhost');
  const start = (timeouts: Partial<typeof QUICK>, tls: boolean) =>
    startInstance(t, database, tls ? { DEMO: 'on', ...files } : {}, { timeouts: { ...QUICK, ...timeouts } });
  const { admin } = await startService(t, database);
  /** All are started before the first case, for a start keeps the others waiting. */
  const pair = async (timeouts: Partial<typeof QUICK> = {}) => ({
    plain: await start(timeouts, false),
    secure: await start(timeouts, true),
  });
  const { plain, secure } = await pair();
  /** In which a connection is not kept for long; the second for those whose connections are counted. */
  const [brief, counted] = [await pair({ idle: 2000 }), await pair({ unread: 2000 })];
  const serviceOf = ({ tls }: Listener) => (tls ? secure : plain);

  /** A request that is answered, after which a connection can be used again. */
  async function ask(socket: Duplex): Promise<void> {
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = await once(socket, 'data');
    t.match(String(answer), /^HTTP\/1\.1 200 /);
  }

  for (const listener of LISTENERS) {
    const { name } = listener;
    const service = serviceOf(listener);
    const impatient = listener.tls ? brief.secure : brief.plain;

    t.test(`${name}: headers that do not end`, atOnce(), async (t) => {
      const attempt = async (used: boolean) => {
        const socket = await open(t, service, listener);
        if (used) await ask(socket);
        socket.write(`POST ${LOGIN} HTTP/1.1\r\nHost: localhost\r\n`);
        const answer = await drip(socket, () => LETTER);
        t.same(statusesOf(answer), [408]);
        t.same(breaches(exchangeOf('POST', LOGIN, answer), []), []);
      };
      await Promise.all([attempt(false), attempt(true)]);
    });

    t.test(`${name}: a body that does not end is 408, on GraphQL too`, atOnce(), async (t) => {
      const attempt = async (path: string) => {
        const socket = await open(t, service, listener);
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
        );
        const answer = await drip(socket, () => SPACE);
        t.same(statusesOf(answer), [408]);
        t.match(answer, '"code":"REQUEST_TIMEOUT"');
      };
      await Promise.all([attempt(LOGIN), attempt('/graphql')]);
    });

    t.test(`${name}: a connection on which nothing is ever sent`, atOnce(), async (t) => {
      await closed(await open(t, service, listener));
    });

    t.test(`${name}: an idle connection, and an open WebSocket`, atOnce(), async (t) => {
      const { url } = impatient;
      const live = new WebSocket(`${url.replace('http', 'ws')}/graphql`, [PROTOCOL], { rejectUnauthorized: false });
      live.on('error', () => {});
      t.teardown(() => live.terminate());
      await once(live, 'open');
      live.send(
        JSON.stringify({ type: 'connection_init', payload: { Authorization: admin.headers['authorization'] } }),
      );
      await once(live, 'message');
      for (const _ of [1, 2]) {
        const socket = await open(t, impatient, listener);
        await ask(socket);
        await closed(socket);
      }
      t.equal(live.readyState, WebSocket.OPEN, 'which has time-outs of its own');
    });

    t.test(`${name}: an answer that is not read`, atOnce(), async (t) => {
      const mine = listener.tls ? counted.secure : counted.plain;
      const socket = await open(t, mine, listener);
      const page = await fetch(`${plain.url}/docs`);
      const [, bundle] = /src="([^"]+reference\.js)"/.exec(await page.text()) ?? [];
      // More than the buffers on the way take.
      socket.write(`GET ${bundle} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(10));
      await once(socket, 'readable');
      const { server } = mine.app;
      const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
      await eventually('the end', async () => (await connections()) === 0 || undefined);
    });

    t.test(`${name}: bytes that are not a request`, atOnce(), async (t) => {
      const socket = await open(t, service, listener, true);
      socket.pause();
      socket.write('NONSENSE\r\n\r\n');
      // It does not read, so only what it sends tells it that nobody is there.
      const timer = setInterval(() => socket.writable && socket.write(LETTER), DRIP);
      await gone(socket);
      clearInterval(timer);
    });
  }

  t.test('TLS: handshakes that do not start or end', atOnce(), async (t) => {
    await closed(await connectTo(t, secure));
    const slow = await connectTo(t, secure);
    // A record of 512 bytes that is to be a ClientHello of 508.
    slow.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]));
    await drip(slow, () => LETTER);
    const nonsense = await connectTo(t, secure);
    nonsense.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed(nonsense);
  });

  t.test('the service is alive, and logged no error', async (t) => {
    for (const { url, log } of [plain, brief.plain]) {
      t.equal((await fetch(`${url}/livez`)).status, 200);
      t.same(
        log.filter((line) => /"level":(40|50|60)/.test(line)),
        [],
      );
    }
    for (const { log } of [secure, brief.secure]) t.notMatch(log.join(''), /"level":(40|50|60)/);
  });
});
