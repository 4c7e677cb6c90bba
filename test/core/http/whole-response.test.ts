import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import t, { type Test } from 'tap';
import { WholeResponse } from '../../../src/platform/core/http/whole-response.js';
import { memoryDatabase } from '../../support/databases.js';
import { raw, statusesOf } from '../../support/raw.js';
import { startService } from '../../support/service.js';

type Write = (...given: unknown[]) => unknown;
type Written = Record<'write' | '_writev', Write> & { server?: unknown };

/** Counts the writes of servers, each of one piece or of several. */
function countWrites(t: Test) {
  const writes = { single: 0, several: 0 };
  const sockets = Socket.prototype as unknown as Written;
  const { write, _writev } = sockets;
  sockets.write = function (...given) {
    if (this.server) writes.single += 1;
    return write.apply(this, given);
  };
  sockets._writev = function (...given) {
    if (this.server) writes.several += 1;
    return _writev.apply(this, given);
  };
  t.teardown(() => Object.assign(sockets, { write, _writev }));
  return writes;
}

t.test('an answer leaves in one write, head and body together', async (t) => {
  const { rest, graphql, viewer } = await startService(t, await memoryDatabase(t));
  const asked: [what: string, ask: () => Promise<unknown>][] = [
    ['a row', () => rest('GET', `/api/v1/users/${viewer.id}`, viewer)],
    ['a list', () => rest('GET', '/api/v1/users', viewer)],
    ['a refusal', () => rest('GET', '/api/v1/users/x', viewer)],
    ['GraphQL', () => graphql(viewer, '{ me { id } }')],
  ];
  const writes = countWrites(t);
  for (const [what, ask] of asked) {
    const before = { ...writes };
    await ask();
    t.same([writes.single - before.single, writes.several - before.several], [1, 0], what);
  }
});

t.test('pipelined requests, HEAD and the last request of a connection get their answers', async (t) => {
  const { url, viewer } = await startService(t, await memoryDatabase(t));
  const request = (method: string, id: string, more = '') =>
    `${method} /api/v1/users/${viewer.id} HTTP/1.1\r\nhost: localhost\r\nx-request-id: ${id}\r\n` +
    `authorization: ${viewer.headers['authorization']}\r\n${more}\r\n`;
  const text = await raw(
    url,
    request('GET', 'first') + request('HEAD', 'second') + request('GET', 'third', 'connection: close\r\n'),
  );
  t.same(statusesOf(text), [200, 200, 200]);
  t.same(
    [...text.matchAll(/^x-request-id: (\w+)/gim)].map(([, id]) => id),
    ['first', 'second', 'third'],
  );
  t.same(
    [...text.matchAll(/^connection: ([\w-]+)/gim)].map(([, value]) => value),
    ['keep-alive', 'keep-alive', 'close'],
  );
  t.equal(text.split('"email"').length, 3, 'HEAD has no body');
});

/** Returns what a server sends whose handler is `answer`, and what the handler throws. */
async function sentBy(t: Test, answer: (response: ServerResponse) => void): Promise<{ text: string; code?: unknown }> {
  let code: unknown;
  const server = createServer({ ServerResponse: WholeResponse }, (_request, response) => {
    try {
      answer(response);
    } catch (error) {
      code = (error as { code?: unknown }).code;
      response.socket?.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const text = await raw(
    `http://127.0.0.1:${port}`,
    `GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  );
  return { text, code };
}

t.test('a header cannot break the head, and other alphabets keep their bytes', async (t) => {
  const length = { 'content-length': 2 };
  const invalid = { location: '/x\r\nset-cookie: a=b', 'x y': '1', 'x-name': 'Привет' };
  for (const [name, value] of Object.entries(invalid)) {
    const { text, code } = await sentBy(t, (response) =>
      response.writeHead(200, { ...length, [name]: value }).end('{}'),
    );
    t.equal(text, '', name);
    t.match(code, /^ERR_INVALID_(CHAR|HTTP_TOKEN)$/, name);
  }
  const { text } = await sentBy(t, (response) =>
    response.writeHead(200, { 'content-length': 8 }).end('Привет'.slice(0, 4)),
  );
  t.equal(text.split('Прив').length, 3);
});

t.test('Node writes an answer that it must check, or that has no known length', async (t) => {
  const kinds: [what: string, answer: (response: ServerResponse) => void, part: RegExp][] = [
    [
      'no length',
      (response) => response.writeHead(200, { etag: '"1"' }).end('{}'),
      /etag: "1"[\s\S]*\r\n2\r\n\{\}\r\n0\r\n/,
    ],
    [
      'several lines',
      (response) => response.writeHead(200, { 'content-length': 2, 'set-cookie': ['a=1', 'b=2'] }).end('{}'),
      /a=1\r\nset-cookie: b=2/,
    ],
    [
      'a header of its own',
      (response) => response.setHeader('x-own', '1').writeHead(200, { 'content-length': 2 }).end('{}'),
      /x-own: 1\r\n/,
    ],
    ['bytes', (response) => response.writeHead(200, { 'content-length': 2 }).end(Buffer.from('{}')), /\r\n\r\n\{\}/],
    ['no body', (response) => response.writeHead(204, {}).end(), /204 No Content\r\n/],
    [
      'a status without a body',
      (response) => response.writeHead(304, { 'content-length': 2 }).end('{}'),
      /\r\n\r\nHTTP\/1.1 304/,
    ],
  ];
  for (const [what, answer, part] of kinds) {
    const { text } = await sentBy(t, answer);
    t.equal(statusesOf(text).length, 2, what);
    t.match(text, part, what);
  }
});
