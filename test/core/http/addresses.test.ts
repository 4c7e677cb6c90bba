import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import { parseAddress } from '../../../src/platform/core/calls/networks.js';
import { tlsFiles } from '../../support/certificate.js';
import { slowClock } from '../../support/clock.js';
import { memoryDatabase } from '../../support/databases.js';
import { sourcesIn } from '../../support/imports.js';
import { eventually } from '../../support/process.js';
import { open } from '../../support/raw.js';
import { type Instance, startInstance } from '../../support/service.js';
import { uncommitted } from '../../support/uncommitted.js';

const OPEN = '/.well-known/jwks.json';
const LOGIN = '/api/v1/auth/login';
const HTTPS = { 'x-forwarded-proto': 'https' };

t.test('an address is parsed without port, brackets, quotes and zone', async (t) => {
  const spellings: Record<string, string[]> = {
    '192.0.2.9': ['192.0.2.9:4711', ' "192.0.2.9:80" ', '[192.0.2.9]:1', '::ffff:192.0.2.9', '[::FFFF:c000:209]:4711'],
    '2001:db8::1': [
      '2001:DB8:0::1',
      '[2001:db8::1]',
      '"[2001:db8::1]:4711"',
      '2001:db8::1%eth0',
      '[2001:db8::1%25a]:1',
    ],
  };
  for (const [address, all] of Object.entries(spellings))
    for (const spelling of [address, ...all]) t.equal(parseAddress(spelling), address, spelling);
  for (const none of [
    '',
    'unknown',
    '_hidden',
    '192.0.2.256',
    '192.0.2.9:port',
    '[2001:db8::1',
    '2001:db8::g',
    ':4711',
  ])
    t.equal(parseAddress(none), undefined, none);
});

t.test('only one module reads the addresses of connections', async (t) => {
  const readers = Object.entries(sourcesIn('src')).filter(([, text]) => /\.remoteAddress\b|request\.ip\b/.test(text));
  t.same(
    readers.map(([path]) => path),
    ['platform/core/calls/networks.ts'],
  );
});

t.test('a proxy names addresses', async (t) => {
  const database = await memoryDatabase(t);
  const environment = { TRUST_PROXY: 'loopback, 10.0.0.0/8', DEMO: 'on', RATE_LIMIT_ANONYMOUS: '100' };

  t.test('all spellings of an address share one rate', async (t) => {
    const { rest } = await startInstance(t, database, environment, { now: slowClock() });
    const left = async (...chain: string[]) => {
      const { headers } = await rest('GET', OPEN, { headers: { ...HTTPS, 'x-forwarded-for': chain.join(', ') } });
      return Number(headers.get('x-rate-limit-remaining'));
    };
    const spellings = ['192.0.2.9', '192.0.2.9:4711', '"192.0.2.9:4712"', '::ffff:192.0.2.9', '[::ffff:192.0.2.9]:1'];
    for (const [n, spelling] of spellings.entries()) t.equal(await left(spelling), 99 - n, spelling);
    const hosts = ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:4711', '"[2001:DB8:0::1]:4712"', '2001:db8::2%eth0'];
    for (const [n, host] of hosts.entries()) t.equal(await left(host), 99 - n, host);
    t.equal(await left('192.0.2.7', '10.0.0.5:3300'), 99, 'a proxy with a port is trusted');
    t.equal(await left('198.51.100.1', '192.0.2.7:1', '10.0.0.5'), 98, 'the client of the first proxy is not');
  });

  t.test('an entry that is no address counts as the proxy that sent it', async (t) => {
    const { rest } = await startInstance(t, database, environment, { now: slowClock() });
    const left = async (entry: string) => {
      const { headers } = await rest('GET', OPEN, { headers: { ...HTTPS, 'x-forwarded-for': entry } });
      return Number(headers.get('x-rate-limit-remaining'));
    };
    const entries = ['127.0.0.1', 'unknown', '_hidden:1', '192.0.2.300', '192.0.2.1, secret', ' , '];
    for (const [n, entry] of entries.entries()) t.equal(await left(entry), 99 - n, entry);
  });

  t.test('another port is no other network for logins and the audit', async (t) => {
    const { rest } = await startInstance(t, database, { ...environment, LOGIN_LIMIT: '2' }, { now: slowClock() });
    const body = { email: 'nobody@example.com', password: 'not the right password' };
    const attempt = (port: number) =>
      rest('POST', LOGIN, { headers: { ...HTTPS, 'x-forwarded-for': `198.51.100.20:${port}` }, body });
    const statuses = [];
    for (const port of [1, 2, 3]) statuses.push((await attempt(port)).status);
    t.same(statuses, [401, 401, 429]);
    const event = { where: { event: 'login.failed' }, orderBy: { id: 'desc' } } as const;
    t.equal((await database.client.auditEvent.findFirstOrThrow(event)).address, '198.51.100.20');
  });
});

/** Opens a connection, sends a request over it, and resets it before anything can answer. */
type Visit = (url: string) => Promise<Socket>;

const reset = (socket: Socket) => {
  const closed = once(socket, 'close');
  socket.resetAndDestroy();
  return closed;
};
const sent = (stream: Writable, bytes: string) => new Promise<void>((done) => void stream.write(bytes, () => done()));
const secured = async (url: string) => {
  const socket = open(url);
  const tls = connectTls({ socket, rejectUnauthorized: false }).on('error', () => {});
  await once(tls, 'secureConnect');
  return { socket, tls };
};

const HEAD = `GET ${OPEN} HTTP/1.1\r\nHost: localhost\r\n`;
const UPGRADE =
  'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n';

const over =
  (bytes: string): Visit =>
  async (url) => {
    const socket = open(url);
    await once(socket, 'connect');
    await sent(socket, bytes);
    return socket;
  };
const overTls =
  (bytes: string): Visit =>
  async (url) => {
    const { socket, tls } = await secured(url);
    await sent(tls, bytes);
    return socket;
  };
const VISITS: Record<'plain' | 'TLS', Record<string, Visit>> = {
  plain: {
    'a request': over(`${HEAD}\r\n`),
    'half a request': over(HEAD),
    'half a body': over(`POST ${LOGIN} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{`),
    'an upgrade': over(UPGRADE),
    'no byte': over(''),
  },
  TLS: { 'a request': overTls(`${HEAD}\r\n`), 'an upgrade': overTls(UPGRADE) },
};
const CLIENTS = 50;

/** Returns the lines of the log that are no lines of answered requests. */
const faultsIn = ({ log }: Instance) =>
  log.map((line) => JSON.parse(line)).filter(({ level, status }) => level > 30 || status >= 500);

t.test('clients that leave at once are no faults of the service', async (t) => {
  const database = await memoryDatabase(t);
  const { files, write } = tlsFiles(t);
  write('localhost');
  for (const kind of ['plain', 'TLS'] as const) {
    const environment = {
      DEMO: 'on',
      REQUEST_LOG_RATE: '10000',
      RATE_LIMIT_ANONYMOUS: '100000',
      RATE_CEILING: '100000',
    };
    const instance = await startInstance(t, database, { ...environment, ...(kind === 'TLS' && files) });
    for (const [name, visit] of Object.entries(VISITS[kind])) {
      t.test(`${name} over ${kind}`, async (t) => {
        const visitors = await Promise.all(Array.from({ length: CLIENTS }, () => visit(instance.url)));
        await Promise.all(visitors.map(reset));
        // Connections are accepted in order.
        await visit(instance.url).then(reset);
        await eventually('the end of the connections', async () => {
          const open = await new Promise<number>((done) => instance.app.server.getConnections((_, n) => done(n)));
          return open === 0;
        });
        t.same(faultsIn(instance), []);
        t.notMatch(await instance.app.core.seams.observability.metrics(), /status="5\d\d"/);
      });
    }
  }
});

const PERSON = JSON.stringify({ email: 'nobody@example.com', password: 'a password of nobody' });

const HEADERS = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${PERSON.length}\r\n\r\n`;
const LOGS_IN = `POST ${LOGIN} HTTP/1.1\r\n${HEADERS}${PERSON}`;
t.test('a client that leaves before its answer has a line and a count of its own', async (t) => {
  const database = await memoryDatabase(t);
  const { files, write } = tlsFiles(t);
  write('localhost');
  for (const kind of ['plain', 'TLS'] as const) {
    const { url, app, log } = await startInstance(t, database, {
      DEMO: 'on',
      REQUEST_LOG_RATE: '100',
      ...(kind === 'TLS' && files),
    });
    // The login waits for the only connection.
    const { commit, over: released } = await uncommitted(database.client, (db) => db.$executeRaw`SELECT 1`);
    const socket = await (kind === 'plain' ? over : overTls)(LOGS_IN)(url);
    await eventually('the waiting login', () => app.core.seams.limits.places.figures().underWay === 1);
    await new Promise(setImmediate);
    socket.destroy();
    const found = await eventually('the line', () => log.find((line) => line.includes('"operation":"login"')));
    commit();
    await released;
    t.match(JSON.parse(found), { level: 30, msg: 'request', status: 499 }, kind);
    t.match(
      await app.core.seams.observability.metrics(),
      /http_request_duration_seconds_count\{.*operation="login",status="499"\} 1/,
      kind,
    );
  }
});
