import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { type ClientHttp2Session, connect as connect2 } from 'node:http2';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import t, { type Test } from 'tap';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../prisma/seed.js';
import { tlsFiles } from '../support/certificate.js';
import { basic, eventually, type Server, startServer } from '../support/process.js';

const HEADERS = basic(DEMO_ADMIN, DEMO_PASSWORD);
const PATH = '/api/v1/users/1';
const ENVIRONMENT = { DATABASE_URL: 'pglite://memory', DEMO: 'on', RATE_LIMIT: '10000000', LOG_LEVEL: 'warn' };
/** Clients that ask without a pause. */
const CLIENTS = 8;

/** What became of a request: its status, `refused` for one that never left, or why it was cut. */
type Outcome = number | 'refused' | string;

/** Over connections that are kept, each used again as soon as it is free. */
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

/** Over sessions of HTTP/2: one that was told to go away takes no further stream, and a new one is opened. */
function overHttp2(t: Test, url: string): () => Promise<Outcome> {
  let session: ClientHttp2Session | undefined;
  t.teardown(() => session?.destroy());
  const opened = () => {
    if (session && !session.closed && !session.destroyed) return session;
    const fresh = connect2(url, { rejectUnauthorized: false });
    session = fresh;
    fresh.on('error', () => {});
    fresh.once('goaway', () => {
      if (session === fresh) session = undefined;
      fresh.close();
    });
    return fresh;
  };
  return () =>
    new Promise((resolve) => {
      const over = opened();
      over.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'refused' : `cut: ${error.message}`),
      );
      const stream = over.request({ ':path': PATH, ...HEADERS });
      let status = 0;
      stream.once('response', ({ ':status': code = 0 }) => {
        status = code;
      });
      stream.once('error', (error: NodeJS.ErrnoException) =>
        // What a server refuses without having looked at it may be sent again (RFC 9113 §8.7).
        resolve(error.message.includes('NGHTTP2_REFUSED_STREAM') ? 'refused' : `cut: ${error.message}`),
      );
      stream.once('end', () => resolve(status === 0 ? 'cut before the answer' : status));
      stream.resume();
      stream.end();
    });
}

/** Asks from all sides until nobody is there any more. @returns how often each outcome was */
async function load(ask: () => Promise<Outcome>, told: (outcome: Outcome) => void): Promise<void> {
  const client = async () => {
    for (;;) {
      const outcome = await ask();
      told(outcome);
      if (outcome === 'refused') return;
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
  ['HTTP/2', true, overHttp2],
];

for (const [name, tls, over] of WAYS) {
  t.test(`SIGTERM under load cuts no request: ${name}`, async (t) => {
    const server = await startServer(t, { ...ENVIRONMENT, DRAIN_DELAY: '300', ...(tls && certificate(t)) });
    const url = tls ? server.url.replace('http:', 'https:') : server.url;
    const outcomes = new Map<Outcome, number>();
    const loaded = load(over(t, url), (outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    await eventually('a load', () => (outcomes.get(200) ?? 0) > 50 || undefined);
    server.kill('SIGTERM');
    await loaded;
    t.equal((await server.ended).code, 0);
    // On a busy machine some are shed, which is an answer as well.
    const unexpected = [...outcomes.keys()].filter((outcome) => ![200, 503, 'refused'].includes(outcome));
    t.same(unexpected, [], `${outcomes.get(200)} answered`);
  });
}

const ready = async ({ url }: Server) => (await fetch(`${url}/readyz`)).status;

t.test('while balancers are to notice, the service is not ready and serves on', async (t) => {
  const server = await startServer(t, { ...ENVIRONMENT, DRAIN_DELAY: '3000' });
  t.equal(await ready(server), 200);
  server.kill('SIGTERM');
  await eventually('an instance that is not ready', async () => (await ready(server)) === 503 || undefined);
  t.equal((await fetch(server.url + PATH, { headers: HEADERS })).status, 200);
  t.equal((await server.ended).code, 0);
});
