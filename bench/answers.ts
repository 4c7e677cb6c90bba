/**
 * Asks for the largest answers that the limits allow, on each transport: `node --import tsx bench/answers.ts`. A process
 * of clients asks, and half of the clients do not read their answers. Prints the memory of the service and the waiting
 * time of another user, and fails beyond the stated bounds. It uses DATABASE_URL (an empty database), or a database in
 * memory.
 */
import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { runTask, startClients } from './clients.js';
import { DEMO, graphql, startMeasured } from './server.js';

const SECONDS = Number(process.env['SECONDS'] ?? 20);
const CALLERS = Number(process.env['CALLERS'] ?? 1);
const CLIENTS_PER_CALLER = 4;
const HEAP_MIB = 768;
/** The bounds: resident memory above rest, and the 99th percentile of the other user. */
const MAX_GROWTH_MIB = 640;
const MAX_P99_MS = 3000;
const PASSWORD = 'a long password of a caller';
const POSTS = 100;
/** The longest content of a post, in characters of three bytes each. */
const CONTENT = '\u6587'.repeat(20_000);

const all = (name: string) => `${name}: posts(limit: ${POSTS}) { content }`;
/** One answer within the bound, one beyond it by its rows, and one beyond it by its text. */
const QUERIES = [
  `{ ${all('a')} }`,
  `{ ${all('a')} ${all('b')} ${all('c')} ${all('d')} }`,
  `{ posts(limit: ${POSTS}) { a: content b: content c: content d: content } }`,
];

interface Task {
  url: string;
  /** The `Authorization` of each caller. */
  callers: string[];
}

type Outcomes = Record<string, number>;

if (process.send) process.on('message', (task: Task) => void ask(task).then((outcomes) => process.send?.(outcomes)));
else await main();

/** The process of the clients. */
async function ask({ url, callers }: Task): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const note = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const end = performance.now() + 1000 * SECONDS;

  async function byPost(authorization: string, query: string): Promise<void> {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const text = await answer.text();
    note(`POST, ${/"code":"(\w+)"/.exec(text.slice(0, 1000))?.[1] ?? answer.status}`);
  }

  /** Sends requests on one connection, and does not read the answers. */
  function withoutReading(authorization: string, query: string): void {
    const body = JSON.stringify({ query });
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => note('not read, cut'));
    const lines = [
      'POST /graphql HTTP/1.1',
      `Host: ${host}`,
      `Authorization: ${authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    for (let n = 0; n < 10; n += 1) socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    setTimeout(() => socket.destroy(), end - performance.now());
  }

  function bySocket(authorization: string, query: string): Promise<void> {
    const headers = { authorization };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
      else socket.close();
    });
    socket.on('error', () => {});
    return new Promise((resolve) =>
      socket.on('close', (code) => {
        note(`socket, ${code === 1005 ? 'answered' : `closed with ${code}`}`);
        resolve();
      }),
    );
  }

  async function client(authorization: string, index: number): Promise<void> {
    const query = QUERIES[index % QUERIES.length] as string;
    if (index % 2 === 1) withoutReading(authorization, query);
    for (let n = 0; performance.now() < end; n += 1)
      await (n % 4 === 3 ? bySocket(authorization, query) : byPost(authorization, query)).catch((error: Error) => {
        note(error.message);
        return delay(100);
      });
  }

  await Promise.all(callers.flatMap((one) => Array.from({ length: CLIENTS_PER_CALLER }, (_, n) => client(one, n))));
  return outcomes;
}

async function main(): Promise<void> {
  const DATABASE_URL = process.env['DATABASE_URL'] ?? 'pglite://memory';
  const environment = { DATABASE_URL, DEMO: 'on', LOGIN_LIMIT: '100000' };
  const server = await startMeasured(environment, [`--max-old-space-size=${HEAP_MIB}`]);
  const url = server.url.replace('localhost', '127.0.0.1');

  /** Returns the `Authorization` of a new account. */
  async function caller(name: string): Promise<string> {
    const email = `${name}@example.com`;
    const send = (path: string, body: object) =>
      fetch(`${url}/api/v1/${path}`, {
        method: 'POST',
        headers: { authorization: DEMO, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await send('users', { name, email, password: PASSWORD, role: 'viewer' });
    const login = await send('auth/login', { email, password: PASSWORD });
    return `Bearer ${((await login.json()) as { access_token: string }).access_token}`;
  }

  /** Sends a request from another network, because the queues of the service are fair by network. */
  const statusElsewhere = (path: string, authorization: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const options = { hostname, port, path, localAddress: '127.1.0.1', agent: false, headers: { authorization } };
      get(options, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      }).on('error', reject);
    });

  const add = 'mutation($title: String!, $content: String) { createPost(title: $title, content: $content) { id } }';
  for (let n = 0; n < POSTS; n += 1) await graphql(url, add, { title: `post ${n}`, content: CONTENT });
  // Prisma itself runs the first calls of each form.
  for (const query of QUERIES) for (let n = 0; n < 4; n += 1) await graphql(url, query).catch(() => {});
  const callers = await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(`caller-${n}`)));
  const other = await caller('other');
  const rest = server.rss();
  let peak = rest;
  const waits: number[] = [];
  const statuses: Outcomes = {};

  const clients = startClients('answers.ts');
  let isOver = false;
  const asked = runTask<Outcomes>(clients, { url, callers }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    const status = String(await statusElsewhere('/api/v1/auth/me', other));
    statuses[status] = (statuses[status] ?? 0) + 1;
    waits.push(performance.now() - began);
    peak = Math.max(peak, server.rss());
    await delay(100);
  }
  waits.sort((a, b) => a - b);
  const at = (part: number) => Math.round(waits[Math.floor(waits.length * part)] ?? Number.NaN);
  const growth = Math.round(peak - rest);
  console.log(`Memory: ${Math.round(rest)} MiB at rest, at most ${growth} MiB more.`);
  console.log(`The other user: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${JSON.stringify(statuses)}.`);
  console.log(`The callers: ${JSON.stringify(await asked)}.`);
  clients.disconnect();
  await server.stop();
  if (growth <= MAX_GROWTH_MIB && at(0.99) <= MAX_P99_MS) return;
  console.error(`The bounds are ${MAX_GROWTH_MIB} MiB and ${MAX_P99_MS} ms.`);
  process.exitCode = 1;
}
