import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import { blankDatabase } from '../../support/databases.js';
import { many } from '../../support/many.js';
import { basic, type Server, startServer, withoutDelays } from '../../support/process.js';
import { skipUnlessWhole, skipWithoutPostgresql } from '../../support/servers.js';

/** The memory of a container, and the half that Node gives to its heap in such a container. */
const MEMORY_MIB = 384;
const HEAP_MIB = MEMORY_MIB / 2;
const VIEWERS = 40;
const AUTHORS = 100;
/** The requests of the other caller, one after the other. */
const OTHER_REQUESTS = 60;
const PASSWORD = 'a long password of a caller';
const ADMIN = { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'a password of the first one' };

/** The largest queries within the limits, with up to 2,400,000 characters of text, and one of 480,000. */
const QUERIES = [
  '{ posts(limit: 100) { content } }',
  '{ users(limit: 100) { posts(limit: 1) { content } } }',
  '{ users(limit: 1, offset: 1) { posts(limit: 100) { content } } }',
  `{ ${many(4, (n) => `a${n}: posts(limit: 30, offset: ${30 * n}) { content }`)} }`,
  `{ posts(limit: 30) { ${many(4, (n) => `a${n}: content`)} } }`,
  '{ messages(channelId: "long", limit: 100) { text author { name email posts { title } } } }',
  '{ posts(limit: 24) { content } }',
];
const PATHS = ['/api/v1/users?limit=100', '/api/v1/users?page=1&per_page=100'];

/**
 * Stores the longest rows. JSON has six characters for each control character, and V8 takes two bytes for each of them
 * beside one Chinese character.
 */
async function fill(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`
    INSERT INTO users (name, email, email_key, role)
      SELECT repeat('𝒜', 100), mail, mail, 'VIEWER' FROM (
        SELECT rpad(n::text, 64, 'x') || '@' || rpad('', 63, 'y') || '.' || rpad('', 63, 'z') || '.' || rpad('', 57, 'w') || '.com' AS mail
          FROM generate_series(1, ${AUTHORS}) AS n) AS mails;
    INSERT INTO posts (author_id, title, content)
      SELECT id, repeat('題', 200), CASE WHEN id % 2 = 0 THEN repeat('文', 20000) ELSE '文' || repeat(chr(1), 19999) END
        FROM users, generate_series(1, 100) AS n WHERE n <= 4 OR id < 6;
    INSERT INTO messages (channel_id, author_id, text)
      SELECT 'long', 2, '文' || repeat(chr(1), 1999) FROM generate_series(1, 100)`);
  await client.end();
}

const peakMib = ({ pid }: Server): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
  /** Each caller has an address of their own. */
  from?: string;
}

function send(url: string, { method = 'GET', path, headers = {}, body, from = '127.0.0.1' }: Sent) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const type = body && { 'content-type': 'application/json' };
    const options = {
      hostname,
      port,
      path,
      method,
      localAddress: from,
      agent: false,
      headers: { ...headers, ...type },
    };
    const read = (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, text })).on('error', reject);
    };
    request(options, read)
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

/** Creates an account. @returns its headers */
async function account(url: string, name: string): Promise<{ authorization: string }> {
  const email = `${name}@example.com`;
  const headers = basic(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD);
  const created = { name, email, password: PASSWORD, role: 'viewer' };
  await send(url, { method: 'POST', path: '/api/v1/users', headers, body: created });
  const login = { method: 'POST', path: '/api/v1/auth/login', body: { email, password: PASSWORD } };
  const { access_token } = JSON.parse((await send(url, login)).text) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

/** Sends requests over one connection again and again, and reads no answer. */
function withoutReading(t: Test, url: string, from: string, requests: string): void {
  let over = false;
  const open = () => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress: from }).pause();
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (!over) setTimeout(open, 100);
    });
    socket.write(requests);
  };
  const sockets = new Set<ReturnType<typeof connect>>();
  t.teardown(() => {
    over = true;
    for (const socket of sockets) socket.destroy();
  });
  open();
}

const skip = skipUnlessWhole || skipWithoutPostgresql;
t.test('40 viewers who do not read the largest answers end nobody else’s request with 384 MB', { skip }, async (t) => {
  const DATABASE_URL = await blankDatabase(t);
  const environment = { DATABASE_URL, ...ADMIN, LOGIN_LIMIT: '1000', LOG_LEVEL: 'warn' };
  const command = [
    process.execPath,
    `--max-old-space-size=${HEAP_MIB}`,
    'src/platform/server/cli/bin.js',
    'start',
  ] as const;
  const server = await startServer(t, environment, command);
  const url = server.url.replace('localhost', '127.0.0.1');
  await fill(DATABASE_URL);
  const other = await account(url, 'other');
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, (_, n) => account(url, `viewer-${n}`)));

  const attack = async (n: number, { authorization }: { authorization: string }) => {
    await delay(100 * n);
    const head = (line: string) => [line, 'Host: localhost', `Authorization: ${authorization}`];
    const query = (text: string) => {
      const body = JSON.stringify({ query: text });
      const lines = [...head('POST /graphql HTTP/1.1'), 'Content-Type: application/json'];
      return `${[...lines, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`;
    };
    const get = (path: string) => `${head(`GET ${path} HTTP/1.1`).join('\r\n')}\r\n\r\n`;
    const from = `127.0.1.${n + 1}`;
    const largest = QUERIES.map((_, i) => query(QUERIES[(n + i) % QUERIES.length] as string)).join('');
    withoutReading(t, url, from, largest);
    for (let i = 0; i < 3; i++) withoutReading(t, url, from, PATHS.map(get).join('').repeat(40));
  };
  for (const [n, viewer] of viewers.entries()) void attack(n, viewer);

  const body = { query: '{ me { name email } posts(limit: 1) { content } }' };
  const requests: Sent[] = [
    { path: '/api/v1/auth/me' },
    { path: '/api/v1/users?limit=20' },
    { method: 'POST', path: '/graphql', body },
  ];
  const failed: string[] = [];
  let unread = 0;
  for (let n = 0; n < OTHER_REQUESTS; n++) {
    const sent = requests[n % requests.length] as Sent;
    const { status, text } = await send(url, { ...sent, headers: other, from: '127.1.0.1' });
    if (status !== 200 || text.includes('"errors"')) failed.push(`${sent.path}: ${status} ${text.slice(0, 300)}`);
    const metrics = await send(url, { path: '/metrics' });
    unread = Math.max(unread, Number(/^answer_bytes (\d+)$/m.exec(metrics.text)?.[1]));
    await delay(100);
  }
  t.ok(unread > 16 * 1024 * 1024, 'viewers have unread answers');
  t.same(failed, []);
  t.equal(withoutDelays(server.stderr()), '');
  const peak = Math.round(peakMib(server));
  t.ok(peak <= MEMORY_MIB, `${peak} of ${MEMORY_MIB} MiB`);
});
