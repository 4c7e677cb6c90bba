import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { declaredResponses } from '../../../src/platform/core/contract/openapi.js';
import { ADMISSION } from '../../../src/platform/parts/limits/admission.js';
import { TIMEOUTS_MS } from '../../../src/platform/server/http-server.js';
import { tlsFiles } from '../../support/certificate.js';
import { contractOperations, document } from '../../support/contract.js';
import { onEachDatabase } from '../../support/databases.js';
import { section } from '../../support/documentation.js';
import { open as connectTo, raw, statusesOf, untilClosed } from '../../support/raw.js';
import { codeOf, type Service, startInstance, startService } from '../../support/service.js';

const answers = declaredResponses(document, contractOperations);
const declared = new Set(answers.flatMap((answer) => Object.keys(answer).map(Number)));
/** Sent before there is a request, or where the contract does not reach: a test below has seen each. */
const seenBelow = [100, 101, 431];

const rows = [
  ...section('docs/limits-and-errors.md', 'Statuses').matchAll(/^\| (\d{3}) \| [A-Z][\w -]+ \| (.+) \|$/gm),
];
const table = rows.map(([, code, use = '']) => ({ code: Number(code), sent: !use.startsWith('**Never.**'), use }));

t.test('the table of status codes is complete and correct', async (t) => {
  const codes = table.map(({ code }) => code);
  const expected = [
    100, 101, 102, 103, 200, 201, 202, 204, 206, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410,
  ].concat([415, 422, 429, 500, 501, 502, 503, 504, 507]);
  t.same(
    expected.filter((code) => !codes.includes(code)),
    [],
  );
  t.same(
    codes,
    [...codes].sort((a, b) => a - b),
    'in order, each once',
  );
  for (const { code, sent, use } of table) {
    t.equal(sent, declared.has(code) || seenBelow.includes(code), `${code}`);
    t.ok(use.length > 20);
  }
  t.same(
    [...declared].filter((code) => !codes.includes(code)),
    [],
    'and no other code is declared',
  );
});

/** Makes the database refuse an insertion of a user, as a fault of its own would. */
const raising = ({ client }: Service['database'], sqlstate: string) =>
  client.$executeRawUnsafe(`
    DO $do$ BEGIN
      CREATE OR REPLACE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS
        $f$ BEGIN RAISE EXCEPTION 'secret detail' USING ERRCODE = '${sqlstate}'; END $f$;
      CREATE OR REPLACE TRIGGER fault BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION fault();
    END $do$`);

onEachDatabase(t, async (t, open) => {
  const service = await startService(t, await open());
  const { rest, graphql, admin, url, database, log } = service;

  t.test('100: the service asks for a body that the client announces', async (t) => {
    const socket = connectTo(url);
    const answer = untilClosed(socket);
    const head =
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    const [first] = await once(socket, 'data');
    t.match(first, /^HTTP\/1\.1 100 Continue/);
    socket.write('{}');
    t.same(statusesOf(await answer), [100, 400]);
    const odd = await raw(url, `${head}Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}`);
    t.same(statusesOf(odd), [400], 'another expectation is passed over');
  });

  t.test('101: only /graphql switches to a WebSocket', async (t) => {
    const socket = connectTo(url);
    socket.write(
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    const [first] = await once(socket, 'data');
    t.match(String(first), /^HTTP\/1\.1 101 /);
    socket.destroy();
  });

  t.test('other upgrades are ignored', async (t) => {
    const { files, write } = tlsFiles(t);
    const ca = write('upgrade');
    const secure = new URL((await startInstance(t, database, { ...files, DEMO: 'on' })).url);
    const body = JSON.stringify({ query: '{ me { id } }' });
    // As Java's HttpClient sends it with each request.
    const offer =
      'Host: localhost\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n';
    const post =
      `POST /graphql HTTP/1.1\r\n${offer}Authorization: ${admin.headers['authorization']}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const request of [post, `GET /livez HTTP/1.1\r\n${offer}\r\n`]) {
      for (const socket of [connectTo(url), connectTls({ port: Number(secure.port), ca })]) {
        const answer = untilClosed(socket);
        socket.write(request);
        t.match(await answer, /^HTTP\/1\.1 200 /);
      }
    }
  });

  t.test('206 and 304: files of the documentation', async (t) => {
    const html = await (await fetch(`${url}/docs`)).text();
    const [, asset] = /src="([^"]+reference\.js)"/.exec(html) ?? [];
    const whole = await fetch(url + asset);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const part = await fetch(url + asset, { headers: { range: 'bytes=100-199' } });
    t.same([part.status, part.headers.get('content-range')], [206, `bytes 100-199/${bytes.length}`]);
    t.same(Buffer.from(await part.arrayBuffer()), bytes.subarray(100, 200));
    const etag = whole.headers.get('etag') as string;
    for (const given of [etag, `"other", ${etag}`, '*']) {
      t.equal((await fetch(url + asset, { headers: { 'if-none-match': given } })).status, 304, given);
    }
  });

  t.test('500 and 507: faults of the database are masked, and store nothing', async (t) => {
    const body = { name: 'N', email: 'fault@example.com', role: 'viewer' };
    const mutation = 'mutation { createUser(input: {name: "N", email: "fault@example.com", role: VIEWER}) { id } }';
    for (const [sqlstate, status, code] of [
      ['XX000', 500, 'INTERNAL'],
      ['22012', 500, 'INTERNAL'],
      ['53100', 507, 'INSUFFICIENT_STORAGE'],
      ['53200', 503, 'UNAVAILABLE'],
      ['40001', 503, 'UNAVAILABLE'],
    ] as const) {
      await raising(database, sqlstate);
      const answer = await rest('POST', '/api/v1/users', { as: admin, body });
      t.same(codeOf(answer), [status, code], sqlstate);
      if (status === 503) t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
      const { codes, data } = await graphql(admin, mutation);
      t.same([codes, data], [[code], { createUser: null }], `${sqlstate} on GraphQL`);
      t.notMatch(answer.text, /secret|plpgsql|Prisma/);
    }
    t.ok(
      log.some((line) => line.includes('a request failed') && line.includes('"requestId"')),
      'the log knows more',
    );
    await database.client.$executeRawUnsafe('DROP TRIGGER fault ON users');
    t.equal(await database.client.user.count({ where: { emailKey: body.email } }), 0);
    t.equal((await rest('POST', '/api/v1/users', { as: admin, body })).status, 201, 'and it is over');
  });

  t.test('ambiguous framing is refused and closes the connection', async (t) => {
    const post = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const smuggled = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const [what, bytes] of Object.entries({
      'CL and TE': `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'TE and CL': `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`,
      'two CL': `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}${smuggled}`,
      'two equal CL': `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`,
      'CL that is a list': `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
      'CL with a sign': `${post}Content-Length: +2\r\n\r\n{}${smuggled}`,
      'bare LF': `GET /livez HTTP/1.1\nHost: x\n\n`,
      'bare LF in a header': `GET /livez HTTP/1.1\r\nHost: x\nX: y\r\n\r\n`,
      'bare CR': `GET /livez HTTP/1.1\r\nHost: x\rX: y\r\n\r\n`,
      'obs-fold': `GET /livez HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n`,
      'a space before the colon': `GET /livez HTTP/1.1\r\nHost : x\r\n\r\n`,
      'TE that is not chunked': `${post}Transfer-Encoding: xchunked\r\n\r\n{}`,
      'no Host': 'GET /livez HTTP/1.1\r\n\r\n',
      'NUL in a header': 'GET /livez HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n',
      'a chunk size beyond all': `${post}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`,
    })) {
      // It would wait for ever for a connection that is kept.
      const statuses = statusesOf(await raw(url, bytes));
      t.ok(statuses.length === 1 && [400, 413, 501].includes(statuses[0] as number), `${what}: ${statuses}`);
    }
    const twoHosts = 'GET /livez HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n';
    t.match(await raw(url, twoHosts), /^HTTP\/1\.1 400 .*BAD_REQUEST/s, 'RFC 9112 §3.2');
    t.equal((await rest('GET', '/livez')).status, 200);
  });

  t.test('HEAD equals GET without a body', async (t) => {
    for (const { path, method } of contractOperations) {
      if (method !== 'GET') continue;
      const place = path.replace('{user_id}', String(admin.id)).replace('{order_id}', '1');
      const get = await rest('GET', place, { as: admin });
      const head = await rest('HEAD', place, { as: admin });
      t.same([head.status, head.text], [get.status, ''], path);
      const alike = ['content-type', 'etag', 'link', 'x-total-count', 'location', 'cache-control', 'accept-ranges'];
      for (const name of alike) t.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
    }
  });
});

t.test('the documented limits apply', async (t) => {
  t.same(TIMEOUTS_MS, {
    handshake: 10_000,
    headers: 10_000,
    request: 15_000,
    handler: 10_000,
    unread: 30_000,
    idle: 72_000,
    closing: 10_000,
  });
  t.equal(BOUNDS.headerBytes.value, 16_384);
  t.same(ADMISSION, { underWay: 128, waiting: 1000, burst: 500, sustained: 250 });
});
