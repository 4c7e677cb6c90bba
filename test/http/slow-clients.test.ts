import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { CONNECTION_LIMITS } from '../../src/platform/server/http-server.js';
import { tlsFiles } from '../support/certificate.js';
import { breaches } from '../support/contract.js';
import { memoryDatabase } from '../support/databases.js';
import { http2Session } from '../support/http2.js';
import { CODE, FLAG, frame, framesOf, PREFACE, requestHeaders, TYPE } from '../support/http2-frames.js';
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
  stream: 60_000,
  idle: 60_000,
};
const DRIP = 50;

interface Listener {
  name: string;
  /** Which of the two services it is of. */
  tls: boolean;
  protocol: 'http/1.1' | 'h2';
}
const LISTENERS: Listener[] = [
  { name: 'plain HTTP/1.1', tls: false, protocol: 'http/1.1' },
  { name: 'HTTP/1.1 over TLS', tls: true, protocol: 'http/1.1' },
  { name: 'HTTP/2', tls: true, protocol: 'h2' },
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
async function open(t: Test, instance: Instance, { tls, protocol }: Listener, allowHalfOpen = false): Promise<Duplex> {
  const socket = await connectTo(t, instance, allowHalfOpen);
  if (!tls) return socket;
  const secure = connectTls({ socket, ALPNProtocols: [protocol], rejectUnauthorized: false });
  secure.on('error', () => {});
  await once(secure, 'secureConnect');
  return secure;
}

const greet = (socket: Duplex) => socket.write(Buffer.concat([PREFACE, frame(TYPE.settings, 0, 0)]));

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

/** A whole request on a stream. */
const get = (stream: number, path = '/livez') =>
  frame(TYPE.headers, FLAG.endStream | FLAG.endHeaders, stream, requestHeaders('GET', path));

const SPACE = Buffer.from(' ');
const LETTER = Buffer.from('x');
/** Most of the time the cases wait. A new object each time, for tap writes into it. */
const atOnce = () => ({ buffered: true });

t.test('slow clients are cut off on each listener', { jobs: 30 }, async (t) => {
  const database = await memoryDatabase(t);
  const { files, write } = tlsFiles(t);
  const ca = write('localhost');
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
  const shortStreams = await start({ stream: 2000 }, true);
  const serviceOf = ({ tls }: Listener) => (tls ? secure : plain);

  /** A request that is answered, after which a connection can be used again. */
  async function ask(socket: Duplex, { protocol }: Listener): Promise<void> {
    if (protocol === 'http/1.1') {
      socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [answer] = await once(socket, 'data');
      t.match(String(answer), /^HTTP\/1\.1 200 /);
      return;
    }
    greet(socket);
    const frames = framesOf(socket);
    socket.write(get(1));
    await eventually('the end of the answer', () =>
      frames.find(({ stream, flags, type }) => stream === 1 && type === TYPE.data && flags & FLAG.endStream),
    );
  }

  for (const listener of LISTENERS) {
    const { name, protocol } = listener;
    const service = serviceOf(listener);
    const impatient = listener.tls ? brief.secure : brief.plain;

    t.test(`${name}: headers that do not end`, atOnce(), async (t) => {
      const attempt = async (used: boolean) => {
        const socket = await open(t, service, listener);
        if (used) await ask(socket, listener);
        else if (protocol === 'h2') greet(socket);
        socket.write(
          protocol === 'h2'
            ? frame(TYPE.headers, 0, used ? 3 : 1, Buffer.alloc(1000)).subarray(0, 9)
            : `POST ${LOGIN} HTTP/1.1\r\nHost: localhost\r\n`,
        );
        const answer = await drip(socket, () => (protocol === 'h2' ? Buffer.from([0x82]) : LETTER));
        if (protocol === 'h2') return;
        t.same(statusesOf(answer), [408]);
        t.same(breaches(exchangeOf('POST', LOGIN, answer), []), []);
      };
      await Promise.all([attempt(false), attempt(true)]);
    });

    t.test(`${name}: a body that does not end is 408, on GraphQL too`, atOnce(), async (t) => {
      const attempt = async (path: string) => {
        if (protocol === 'h2') {
          const session = http2Session(t, service.url, ca);
          const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
          stream.on('error', () => {});
          const timer = setInterval(() => stream.writable && stream.write(SPACE), DRIP);
          const [answer] = await once(stream, 'response');
          const headers = new Headers(
            Object.entries(answer).filter(([key]) => !key.startsWith(':')) as [string, string][],
          );
          const exchange = { method: 'POST', path: LOGIN, request: {}, status: answer[':status'], headers };
          const body = await text(stream);
          t.match([exchange.status, JSON.parse(body)], [408, { code: 'REQUEST_TIMEOUT' }]);
          t.same(breaches({ ...exchange, text: body }, []), []);
          await eventually('the end of the stream', () => stream.closed || undefined);
          clearInterval(timer);
          t.notOk(session.destroyed, 'and the connection serves on');
          return;
        }
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
        await ask(socket, listener);
        await closed(socket);
      }
      t.equal(live.readyState, WebSocket.OPEN, 'which has time-outs of its own');
    });

    t.test(`${name}: an answer that is not read`, atOnce(), async (t) => {
      const mine = listener.tls ? counted.secure : counted.plain;
      const socket = await open(t, mine, listener);
      if (protocol === 'h2') {
        const noWindow = frame(TYPE.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
        socket.write(Buffer.concat([PREFACE, noWindow, get(1, '/openapi.yaml')]));
        await drip(socket, () => frame(TYPE.ping, 0, 0, Buffer.alloc(8)));
        return;
      }
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

  const http2 = LISTENERS[2] as Listener;
  const post = (stream: number) => frame(TYPE.headers, FLAG.endHeaders, stream, requestHeaders('POST', LOGIN));
  const reset = (stream: number) => frame(TYPE.reset, 0, stream, Buffer.from([0, 0, 0, CODE.cancel]));
  const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => 2 * (from + index) + 1);

  t.test('HTTP/2: streams beyond the limit are refused, the others stay', atOnce(), async (t) => {
    const socket = await open(t, secure, http2);
    greet(socket);
    const frames = framesOf(socket);
    socket.write(Buffer.concat(numbers(CONNECTION_LIMITS.streams + 50).map(post)));
    const refused = () => frames.filter(({ type, payload }) => type === TYPE.reset && payload[3] === CODE.refused);
    await eventually('the refusals', () => refused().length >= 50 || undefined);
    t.same(
      refused().map(({ stream }) => stream),
      numbers(50, CONNECTION_LIMITS.streams),
    );
    const settings = frames.find(({ type, flags }) => type === TYPE.settings && flags === 0)?.payload as Buffer;
    const entries = Array.from({ length: settings.length / 6 }, (_, i) => [
      settings.readUInt16BE(6 * i),
      settings.readUInt32BE(6 * i + 2),
    ]);
    t.match(
      Object.fromEntries(entries),
      { 3: CONNECTION_LIMITS.streams, 6: CONNECTION_LIMITS.headers },
      'as they were announced',
    );
  });

  t.test('HTTP/2: headers beyond the limit reset their stream', atOnce(), async (t) => {
    const session = http2Session(t, secure.url, ca);
    const status = async (length: number) => {
      const stream = session.request({ ':path': '/livez', 'x-long': 'x'.repeat(length) });
      const [answer] = await once(stream, 'response');
      stream.resume();
      return answer[':status'];
    };
    t.equal(await status(12_000), 200);
    await t.rejects(status(CONNECTION_LIMITS.headers), { code: 'ERR_HTTP2_STREAM_ERROR' });
    t.equal(await status(10), 200, 'and no other');
  });

  t.test('HTTP/2: resets in a row end the session', atOnce(), async (t) => {
    const socket = await open(t, secure, http2);
    greet(socket);
    const frames = framesOf(socket);
    const ended = closed(socket);
    socket.write(
      Buffer.concat(numbers(CONNECTION_LIMITS.resets + 1).flatMap((stream) => [post(stream), reset(stream)])),
    );
    await ended;
    const farewell = frames.find(({ type }) => type === TYPE.goaway)?.payload;
    t.equal(farewell?.readUInt32BE(4), CODE.enhanceYourCalm);
  });

  t.test('HTTP/2: an answer that is not read is reset, while others are read', atOnce(), async (t) => {
    const socket = await open(t, shortStreams, http2);
    const frames = framesOf(socket);
    const noWindow = frame(TYPE.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
    const wholeWindow = frame(TYPE.window, 0, 3, Buffer.from([0x7f, 0, 0, 0]));
    socket.write(Buffer.concat([PREFACE, noWindow, get(1, '/openapi.yaml'), get(3), wholeWindow]));
    const reset = await eventually('a reset', () => frames.find(({ type }) => type === TYPE.reset));
    t.match([reset.stream, reset.payload[3]], [1, CODE.cancel]);
    t.ok(frames.some(({ type, stream, flags }) => type === TYPE.data && stream === 3 && flags & FLAG.endStream));
    t.notOk(socket.closed, 'the connection stays');
  });

  const acknowledged: [string, Buffer][] = [
    ['pings', frame(TYPE.ping, 0, 0, Buffer.alloc(8))],
    ['settings', frame(TYPE.settings, 0, 0)],
  ];
  for (const [name, flood] of acknowledged) {
    // nghttp2 counts the acknowledgements that wait.
    t.test(`HTTP/2: a client that floods ${name} and does not read is disconnected`, atOnce(), async (t) => {
      const socket = await open(t, secure, http2);
      socket.pause();
      greet(socket);
      const many = Buffer.concat(Array.from({ length: 2000 }, () => flood));
      const timer = setInterval(() => socket.writable && socket.write(many), DRIP);
      await gone(socket);
      clearInterval(timer);
    });
  }

  t.test('HTTP/2: a client with as many finished requests as resets continues', atOnce(), async (t) => {
    const socket = await open(t, secure, http2);
    await ask(socket, http2);
    const frames = framesOf(socket);
    const many = CONNECTION_LIMITS.resets / 2;
    for (const round of [0, 1, 2, 3]) {
      const [asked, given] = [numbers(many, 1 + 2 * many * round), numbers(many, 1 + 2 * many * round + many)];
      socket.write(Buffer.concat(asked.map((stream) => get(stream))));
      const answered = () => frames.filter(({ stream, flags }) => asked.includes(stream) && flags & FLAG.endStream);
      await eventually('the answers', () => answered().length === many || undefined);
      socket.write(Buffer.concat(given.flatMap((stream) => [post(stream), reset(stream)])));
    }
    socket.write(frame(TYPE.ping, 0, 0, Buffer.alloc(8)));
    await eventually('an answer to a ping', () => frames.find(({ type }) => type === TYPE.ping));
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
