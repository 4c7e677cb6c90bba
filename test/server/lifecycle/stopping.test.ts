import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import fastify from 'fastify';
import t, { type Test } from 'tap';
import { demo } from '../../../src/application/seed.js';
import { drainOnClose, LINGER_MS } from '../../../src/platform/server/drain.js';
import { tlsFiles } from '../../support/certificate.js';
import { demoDirectory } from '../../support/demo.js';
import { basic, eventually, type Server, startServer } from '../../support/process.js';
import { open, statusesOf, untilClosed } from '../../support/raw.js';
import { skipUnlessWhole } from '../../support/servers.js';
import { dial, UPGRADE } from '../../support/socket.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

const HEADERS = basic(DEMO_ADMIN, DEMO_PASSWORD);
const PATH = '/api/v1/users/1';
const JSON_OF_1000 = 'Content-Type: application/json\r\nContent-Length: 1000';
const started = async (t: Test, environment: Record<string, string> = {}) =>
  startServer(t, {
    ...{ DATABASE_URL: await demoDirectory(t), DEMO: 'on', RATE_LIMIT: '10000000', LOG_LEVEL: 'warn' },
    ...environment,
  });
/** Clients that send requests continuously. */
const CLIENTS = 8;

/** The outcome of a request: its status, `refused` for one that was not sent, or the error. */
type Outcome = number | 'refused' | string;
/** A busy machine answers 503 to some requests. */
const ANSWERS: Outcome[] = [200, 503];

/** Sends requests over keep-alive connections. */
function overHttp1(t: Test, url: string): () => Promise<Outcome> {
  const secure = url.startsWith('https:');
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: CLIENTS });
  t.teardown(() => agent.destroy());
  const options: RequestOptions = { agent, headers: HEADERS, ...(secure && { rejectUnauthorized: false }) };
  return () =>
    new Promise((resolve) => {
      const sent = (secure ? httpsRequest : httpRequest)(url + PATH, options, (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', (error) => resolve(`cut in the answer: ${error.message}`));
      });
      sent.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'refused' : `cut: ${error.message}`),
      );
      sent.end();
    });
}

/** Sends requests until the server is gone, or until a request was cut. */
async function load(ask: () => Promise<Outcome>, onOutcome: (outcome: Outcome) => void): Promise<void> {
  const client = async () => {
    for (;;) {
      const outcome = await ask();
      onOutcome(outcome);
      if (!ANSWERS.includes(outcome)) return;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

function certificate(t: Test): Record<string, string> {
  const { files, write } = tlsFiles(t);
  write('stopping');
  return files;
}

const WAYS: [name: string, tls: boolean, over: typeof overHttp1][] = [
  ['HTTP/1.1', false, overHttp1],
  ['HTTP/1.1 over TLS', true, overHttp1],
];

for (const [name, tls, over] of WAYS) {
  t.test(`SIGTERM under load cuts no request: ${name}`, { skip: tls && skipUnlessWhole }, async (t) => {
    const server = await started(t, { DRAIN_DELAY: '300', ...(tls && certificate(t)) });
    const url = tls ? server.url.replace('http:', 'https:') : server.url;
    const outcomes = new Map<Outcome, number>();
    const loaded = load(over(t, url), (outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    await eventually('a load', () => (outcomes.get(200) ?? 0) > 50 || undefined);
    server.kill('SIGTERM');
    await loaded;
    t.equal((await server.ended).code, 0);
    const unexpected = [...outcomes.keys()].filter((outcome) => ![...ANSWERS, 'refused'].includes(outcome));
    t.same(unexpected, [], `${outcomes.get(200)} answered`);
  });
}

const ready = async ({ url }: Server) => (await fetch(`${url}/readyz`)).status;

t.test('during DRAIN_DELAY the service is not ready and answers requests', async (t) => {
  const server = await started(t, { DRAIN_DELAY: '3000' });
  t.equal(await ready(server), 200);
  server.kill('SIGTERM');
  await eventually('an instance that is not ready', async () => (await ready(server)) === 503 || undefined);
  t.equal((await fetch(server.url + PATH, { headers: HEADERS })).status, 200);
  t.equal((await server.ended).code, 0);
});

/** Begins a body and does not end it, and asks for answers without reading them. */
async function holdRequests(t: Test, { url }: Server): Promise<void> {
  const page = await (await fetch(`${url}/docs`)).text();
  const [, bundle] = /src="([^"]+reference\.js)"/.exec(page) ?? [];
  const [writer, reader] = [open(url), open(url)];
  t.teardown(() => [writer, reader].map((socket) => socket.destroy()));
  writer.write(`POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\n${JSON_OF_1000}\r\n\r\n{`);
  // More than the buffers on the way take.
  reader.write(`GET ${bundle} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(10));
  await once(reader, 'readable');
}

t.test('a half-sent body and an unread answer do not keep the process', async (t) => {
  const server = await started(t);
  await holdRequests(t, server);
  server.kill('SIGTERM');
  const { code, stdout } = await server.ended;
  t.equal(code, 0);
  const cut = Number(/"requests":(\d+),"msg":"stopping cut requests/.exec(stdout)?.[1]);
  t.ok(cut >= 2, `${cut} requests were counted`);
});

t.test('a stopping service refuses an upgrade with a status, and ends its connection', async (t) => {
  const server = await started(t);
  const connected = async () => {
    const dialled = await dial(t, server.url);
    dialled.send({ type: 'connection_init', payload: HEADERS });
    await dialled.take(({ type }) => type === 'connection_ack');
    return dialled;
  };
  const { closed } = await connected();
  // Does not answer the closing handshake, so the server waits.
  (await connected()).socket.pause();
  const late = open(server.url);
  await once(late, 'connect');
  server.kill('SIGTERM');
  t.equal(await closed, 1001);
  late.write(UPGRADE);
  const answer = await untilClosed(late);
  t.same(statusesOf(answer), [503]);
  t.match(answer, /^connection: close\r$/im);
  t.match(answer, /^retry-after: \d+\r$/im);
  t.equal((await server.ended).code, 0);
});

t.test('a connection that waits when the service stops is accepted, and its end announced', async (t) => {
  const server = await started(t);
  server.kill('SIGSTOP');
  const waiting = Array.from({ length: 50 }, () => open(server.url));
  await Promise.all(waiting.map((socket) => once(socket, 'connect')));
  const answers = waiting.map((socket) => {
    socket.write(UPGRADE);
    return untilClosed(socket);
  });
  server.kill('SIGTERM');
  server.kill('SIGCONT');
  const untold = (await Promise.all(answers)).filter((answer) => !/^HTTP\/1\.1 (101|503) /.test(answer));
  t.same(untold, [], 'without a reset');
  t.equal((await server.ended).code, 0);
});

t.test('a connection with an unread request does not count as idle', async (t) => {
  const app = fastify({ return503OnClosing: false });
  await app.register(websocket);
  app.decorate('unready', () => {});
  drainOnClose(app);
  app.get('/', async () => 'here\n');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const connection = open(url);
  const answer = untilClosed(connection);
  const asked = `GET / HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
  connection.write(asked);
  await once(connection, 'data');
  const closed = app.close();
  await nextTurn();
  connection.write(asked);
  // Longer than the server keeps an idle connection.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LINGER_MS);
  t.same(statusesOf(await answer), [200, 200]);
  await closed;
});
