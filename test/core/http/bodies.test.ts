import { Agent, request } from 'node:http';
import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { memoryDatabase } from '../../support/databases.js';
import { serve } from '../../support/own-application.js';
import type { Json } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { bodiesApplication } from './bodies-fixture.js';

t.test('a body is read by the declared media type only', async (t) => {
  const database = await memoryDatabase(t);
  const { app, url, person, graphql, log } = await serve(t, database, bodiesApplication);
  const ada = await person('Ada');

  const send = async (path: string, type: string | undefined, body?: string | Uint8Array, headers: object = {}) => {
    const sent = { ...ada.headers, ...(type && { 'content-type': type }), ...headers };
    const init = { method: 'POST', headers: sent, ...(body !== undefined && { body }) };
    const response = await fetch(`${url}/api/v1/${path}`, init as RequestInit);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const sendJson = (path: string, body: object) => send(path, 'application/json', JSON.stringify(body));
  const problem = ({ status, body }: Awaited<ReturnType<typeof send>>) => [
    status,
    ...(body.errors ?? []).map(({ pointer, detail }: Json) => `${pointer} ${detail}`),
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  /** Sends a request without Content-Length on one connection. */
  const sendPieces = (path: string, type: string, pieces: readonly Buffer[]) =>
    new Promise<number>((resolve, reject) => {
      const headers = { ...ada.headers, 'content-type': type, 'transfer-encoding': 'chunked' };
      const outgoing = request(`${url}/api/v1/${path}`, { method: 'POST', headers, agent }, (incoming) => {
        incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0));
      });
      outgoing.on('error', reject);
      for (const piece of pieces) outgoing.write(piece);
      outgoing.end();
    });

  t.test('text is a string in UTF-8, validated by its schema', async (t) => {
    const sent = await send('text', 'text/plain; charset=UTF-8', 'grüß dich');
    t.same(sent, { status: 200, body: { is: 'string', body: 'grüß dich', mediaType: 'text/plain' } });
    t.match((await send('text', 'text/plain', '')).body, { is: 'string', body: '' });
    t.same(problem(await send('text', 'text/plain', 'x'.repeat(21))), [
      422,
      ' must have at most 20 characters; it has 21',
    ]);
    t.same(problem(await send('text', 'text/plain', 'a\u0000')), [422, ' must not contain U+0000 or lone surrogates']);
    t.equal((await send('text', 'text/plain', Buffer.from([0xff]))).status, 400);
    t.equal((await send('text', 'text/plain; charset=latin1', 'a')).status, 415);
    t.equal((await send('text', 'text/plain', 'a', { 'content-encoding': 'gzip' })).status, 415);
    t.same(problem(await send('text', undefined)), [
      400,
      ' is missing. Send a body of a media type that the operation accepts.',
    ]);
    t.equal((await send('text', 'text/plain', 'x'.repeat(70_000))).status, 413);
    t.equal((await send('text', 'application/json', '"a"')).status, 415, 'what is not declared is not read');
  });

  t.test('bytes are a stream, of each type in a declared range, up to the body limit', async (t) => {
    const bytes = Buffer.alloc(60_000, 0xff);
    t.same(await send('bytes', 'application/octet-stream', bytes), {
      status: 200,
      body: { is: 'stream', length: 60_000, mediaType: 'application/octet-stream' },
    });
    t.match((await send('bytes', 'image/png', bytes)).body, { is: 'stream', mediaType: 'image/png' });
    t.equal((await send('bytes', 'image/png', Buffer.alloc(70_000))).status, 413);
    t.equal(await sendPieces('bytes', 'image/png', Array(3).fill(Buffer.alloc(20_000))), 200);
    t.equal(await sendPieces('bytes', 'image/png', Array(9).fill(Buffer.alloc(20_000))), 413, 'without a length, too');
    t.equal(await sendPieces('beginning', 'application/octet-stream', Array(3).fill(Buffer.alloc(20_000))), 200);
    t.equal(await sendPieces('bytes', 'image/png', [Buffer.alloc(1)]), 200, 'what nobody has read stands in no way');
    t.equal((await send('bytes', 'video/mp4', bytes)).status, 415);
    t.same(problem(await send('bytes', undefined)), [
      400,
      ' is missing. Send a body of a media type that the operation accepts.',
    ]);
  });

  t.test('bodies that arrive slowly have a limit of their own, also when their clients disconnect', async (t) => {
    const headers = { ...ada.headers, 'content-type': 'application/octet-stream' };
    const begin = () => {
      const slow = request(`${url}/api/v1/bytes`, { method: 'POST', headers, agent: false });
      slow.on('error', () => {}).write('a');
      return slow;
    };
    const bytes = () => send('bytes', 'application/octet-stream', 'a');
    const slow = Array.from({ length: BOUNDS.bodyStreams.value }, begin);
    t.teardown(() => {
      for (const request of slow) request.destroy();
    });
    await eventually('the refusal', async () => (await bytes()).status === 503);
    t.equal((await send('text', 'text/plain', 'a')).status, 200);
    slow.pop()?.destroy();
    await eventually('a body after a client disconnected', async () => (await bytes()).status === 200);
    const answered = new Promise<number | undefined>((resolve) =>
      slow[0]?.on('response', (answer) => resolve(answer.resume().statusCode)),
    );
    slow[0]?.end();
    t.equal(await answered, 200);
    t.equal((await bytes()).status, 200);
  });

  t.test('each media type has its own schema', async (t) => {
    t.equal((await sendJson('any', { a: 1 })).status, 200);
    t.same(problem(await sendJson('any', { b: 1 })), [400, '/a is missing. Required here: `a`.']);
    t.equal((await send('any', 'application/geo+json', '{"b":1}')).status, 200);
    t.same(problem(await send('any', 'application/geo+json', '{"a":1}')), [400, '/b is missing. Required here: `b`.']);
    t.match((await send('any', 'text/csv', 'a,b')).body, { is: 'string', body: 'a,b', mediaType: 'text/csv' });
    t.same(problem(await send('any', undefined)), [
      400,
      ' is missing. Send a body of a media type that the operation accepts.',
    ]);
  });

  t.test('an operation without declared media types, and GraphQL, read JSON only', async (t) => {
    t.equal((await send('nothing', 'text/plain', 'a')).status, 415);
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...ada.headers, 'content-type': 'text/plain' },
      body: '{"query":"{ nothing }"}',
    });
    t.match(await response.json(), { errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] });
    t.match(await graphql(ada, '{ nothing }'), { data: { nothing: null } });
  });

  t.test('a schema may contain itself', async (t) => {
    const tree = { text: 'a', replies: [{ text: 'b', replies: [{ text: 'c' }] }] };
    t.match(await sendJson('comment', tree), { status: 200, body: { body: tree } });
    const lacking = { text: 'a', replies: [{ text: 'b', replies: [{ replies: [] }] }] };
    t.same(problem(await sendJson('comment', lacking)), [
      400,
      '/replies/0/replies/0/text is missing. Required here: `text`.',
    ]);
    const wrong = { text: 'a', replies: [{ text: 'too long', more: 1 }] };
    t.same(problem(await sendJson('comment', wrong)), [
      422,
      '/replies/0/more is unknown. Known here: `text`, `replies`.',
      '/replies/0/text must have at most 5 characters; it has 8',
    ]);
  });

  t.test('a recursive schema with alternatives is validated in linear time', async (t) => {
    const nested = (levels: number, core: unknown): unknown =>
      levels === 0 ? core : { is: levels % 2 ? 'sum' : 'product', of: nested(levels - 1, core) };
    t.equal((await sendJson('expression', nested(90, 1) as object)).status, 200);
    t.equal((await sendJson('expression', nested(90, 'none') as object)).status, 400);
    t.equal((await sendJson('expression', nested(90, { is: 'sum', of: 1.5 }) as object)).status, 400);
    t.equal((await sendJson('expression', nested(90, { is: 'other', of: 1 }) as object)).status, 422);
  });

  t.test('keywords beside a reference apply', async (t) => {
    t.equal((await sendJson('beside', { a: 'a', short: 'abc' })).status, 200);
    t.same(problem(await sendJson('beside', { b: 'b' })), [400, '/a is missing. Required here: `a`.']);
    t.same(problem(await sendJson('beside', { a: 1 })), [400, '/a must be a string, not a number']);
    t.same(problem(await sendJson('beside', { a: 'a', short: 'long' })), [
      422,
      '/short must have at most 3 characters; it has 4',
    ]);
    t.same(problem(await sendJson('beside', { a: 'a', short: '' })), [
      422,
      '/short must have at least 1 character; it has 0',
    ]);
    t.same(problem(await sendJson('beside', { a: 'too long' })), [422, '/a must have at most 5 characters; it has 8']);
  });

  t.test('an operation that is not written yet answers 501', async (t) => {
    t.match(await sendJson('later', {}), { status: 501, body: { code: 'NOT_IMPLEMENTED' } });
    t.same(app.notWritten, ['sendLater']);
  });

  t.same(log, []);
});
