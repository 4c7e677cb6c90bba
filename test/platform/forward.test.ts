import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import t from 'tap';
import { ConfigError } from '../../src/platform/server/config.js';
import { generateOperations } from '../../src/workbench/generate/operations.js';
import { checkOpenApi } from '../../src/workbench/model/check.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { memoryDatabase } from '../support/databases.js';
import type { Person } from '../support/people.js';
import { eventually } from '../support/process.js';
import { moving, oldService, paths } from './moving-fixture.js';
import { serve } from './own-application.js';

t.test('forwarded operations', async (t) => {
  const database = await memoryDatabase(t);
  const old = await oldService(t);
  const { url, person, post, log } = await serve(t, database, moving, { environment: { OLD_URL: old.OLD_URL } });
  const [ada, alan] = [await person('Ada', 'ADMIN'), await person('Alan')];

  const ask = async (
    method: string,
    path: string,
    { headers = {}, as = alan }: { headers?: object; as?: typeof ada | null } = {},
  ) => {
    const response = await fetch(url + path, { method, headers: { ...as?.headers, ...headers }, redirect: 'manual' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: isJson ? JSON.parse(bytes.toString()) : undefined,
    };
  };
  const get = (path: string, options = {}) => ask('GET', path, options);
  const lastAsked = () => old.asked.at(-1);

  t.test('the upstream answers forwarded operations, and this service the others', async (t) => {
    const list = await get('/api/v1/tasks?q=o%26e');
    t.same([list.status, list.body], [200, [{ id: 1, title: 'one' }]]);
    t.equal(list.headers.get('x-total-count'), '1');
    t.notOk(list.headers.has('x-powered-by'), 'what is not declared stays behind');
    t.ok(list.headers.get('x-rate-limit-remaining'), 'counted as all others');
    t.equal(lastAsked()?.request, 'GET /tasks?q=o%26e');
    t.match((await get('/api/v1/greeting')).body, { says: 'hello' });
    t.match((await get('/api/v1/farewell')).body, { says: 'farewell' });
    const picture = await get('/api/v1/pictures/1');
    t.match([picture.headers.get('content-type'), [...picture.bytes]], [/^image\/png/, [137, 80, 0, 255]]);
    t.equal(old.asked.length, 2, 'and only what is forwarded');
  });

  t.test('the upstream receives the caller, and no forged headers', async (t) => {
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };
    const lies = { 'x-forwarded-user': '1', 'x-forwarded-groups': 'admin', 'x-other': 'yes', cookie: 'a=b' };
    await get('/api/v1/tasks', { headers: { ...lies, ...trace, 'x-request-id': 'of-the-client' } });
    const { headers = {} } = lastAsked() ?? {};
    t.match(headers, {
      'x-forwarded-user': String(alan.id),
      'x-forwarded-groups': 'viewer',
      'x-forwarded-for': '127.0.0.1',
      authorization: `Basic ${Buffer.from('accord:secret').toString('base64')}`,
    });
    t.match(headers, { ...trace, 'x-request-id': 'of-the-client' });
    t.notOk('x-other' in headers || 'cookie' in headers);
    t.equal((await get('/api/v1/news', { as: null, headers: lies })).status, 200);
    t.equal(lastAsked()?.request, 'GET /api/v1/news', 'at the same path, where nothing else is said');
    t.notOk('x-forwarded-user' in (lastAsked()?.headers ?? {}));
  });

  t.test('forbidden and invalid requests do not reach the upstream', async (t) => {
    const before = old.asked.length;
    t.equal((await get('/api/v1/tasks', { as: null })).status, 401);
    t.match((await ask('DELETE', '/api/v1/tasks/1')).body, { status: 403, code: 'FORBIDDEN' });
    t.equal((await get('/api/v1/tasks/one')).status, 400);
    t.equal((await get('/api/v1/tasks?unknown=1')).status, 400);
    t.match((await get('/api/v1/tasks?q=12345678901')).body, {
      code: 'VALIDATION_FAILED',
      errors: [{ parameter: 'q' }],
    });
    const wrong = await post(ada, '/api/v1/tasks', { title: 'more than twenty letters' });
    t.match([wrong.status, JSON.parse(wrong.bytes.toString())], [422, { errors: [{ pointer: '/title' }] }]);
    t.equal(old.asked.length, before);
    t.equal((await ask('DELETE', '/api/v1/tasks/1', { as: ada })).status, 204);
  });

  t.test('a body and an Idempotency-Key are forwarded', async (t) => {
    const made = await post(alan, '/api/v1/tasks', { title: 'two' }, { 'idempotency-key': 'key-1' });
    t.match([made.status, JSON.parse(made.bytes.toString())], [201, { id: 2, title: 'two' }]);
    t.equal(made.headers.get('location'), '/api/v1/tasks/2', 'where it is here, and nobody learns where it is there');
    t.match(lastAsked(), { request: 'POST /tasks', body: '{"title":"two"}', headers: { 'idempotency-key': 'key-1' } });
  });

  t.test('no request reaches another path of the upstream', async (t) => {
    await get('/api/v1/pictures/a%20b%25c,%C3%80');
    t.equal(lastAsked()?.request, 'GET /pictures/a%20b%25c%2C%C3%80');
    const before = old.asked.length;
    for (const name of ['%2e%2e', '..', '%2e']) t.equal(await raw(url, `/api/v1/pictures/${name}`, alan), 404, name);
    // Some servers decode a path several times.
    const separators = [
      '..%2Fadmin',
      '..%5Cadmin',
      '%2e%2e%5cadmin',
      'a%3Badmin',
      'a%3b',
      'a%00',
      'a%0d%0ab',
      'a%3Fb',
      'a%23b',
    ];
    for (const name of [...separators, '%2F', '%5c']) {
      t.equal(await raw(url, `/api/v1/pictures/${name}`, alan), 404, name);
      t.equal(await raw(url, `/api/v1/folders/${name}/files`, alan), 404, `${name} within the path`);
      const twice = name.replaceAll('%', '%25');
      t.equal(await raw(url, `/api/v1/pictures/${twice}`, alan), 404, twice);
      const thrice = twice.replaceAll('%', '%25');
      t.equal(await raw(url, `/api/v1/pictures/${thrice}`, alan), 404, thrice);
    }
    t.equal(await raw(url, `/api/v1/pictures/%${'25'.repeat(40)}2f`, alan), 404, 'encoded forty times');
    t.equal(await raw(url, '/api/v1/folders//files', alan), 404, 'nothing is no name');
    t.equal(await raw(url, '/api/v1/folders/%2e%2e/files', alan), 404);
    t.equal((await get('/api/v1/tasks/9007199254740993')).status, 404, 'an id that would become another one');
    t.match((await get('/api/v1/pages?number=9007199254740993')).body, {
      status: 422,
      errors: [{ parameter: 'number' }],
    });
    t.equal(old.asked.length, before);
    for (const name of ['%252e%252e', '%252e']) t.equal(await raw(url, `/api/v1/pictures/${name}`, alan), 404, name);
    t.equal(old.asked.length, before);
    await get('/api/v2/news', { as: null });
    t.equal(lastAsked()?.request, 'GET /api/v1/news', 'in a newer version it is still where it was');
  });

  t.test('hop-by-hop headers and headers of this service are not forwarded', async (t) => {
    const lies = {
      'x-forwarded-user': '1',
      'x-forwarded-groups': 'admin',
      range: 'bytes=0-1',
      'x-plain': 'declared',
    };
    const { status, headers, body } = await get('/api/v1/headers', { as: null, headers: lies });
    t.match(lastAsked()?.headers, { 'x-plain': 'declared', host: new URL(old.origin).host });
    for (const name of ['x-forwarded-user', 'x-forwarded-groups', 'range', 'transfer-encoding'])
      t.notOk(name in (lastAsked()?.headers ?? {}), name);
    t.same([status, body], [200, {}]);
    for (const name of ['content-encoding', 'transfer-encoding', 'x-hop']) t.notOk(headers.has(name), name);
    t.equal(headers.get('content-length'), '2');
    t.same(headers.getSetCookie(), ['a=1; Expires=Sun, 06 Nov 2044 08:49:37 GMT', 'b=2']);
    t.equal(
      headers.get('link'),
      `</next>; rel="next", <${old.origin}.example.com/other>`,
      'an address of its own alone',
    );
  });

  t.test('a body is forwarded with its declared media type', async (t) => {
    const headers = { 'content-type': 'application/merge-patch+json', ...alan.headers };
    const init = { method: 'PATCH', headers, body: '{"title":"one"}' };
    t.equal((await fetch(`${url}/api/v1/tasks/1`, init)).status, 200);
    t.equal(lastAsked()?.headers['content-type'], 'application/merge-patch+json');
    const undeclared = { headers: { ...ada.headers, 'content-type': 'application/json' }, body: '{"all":true}' };
    t.equal((await fetch(`${url}/api/v1/tasks/1`, { method: 'DELETE', ...undeclared })).status, 204);
    t.match(lastAsked(), { request: 'DELETE /tasks/1', body: '' }, 'and not at all where it says nothing of one');
    const before = old.asked.length;
    const sent = { method: 'POST', headers: { ...alan.headers, 'content-type': 'application/json' } };
    const lost = await fetch(`${url}/api/v1/tasks`, { ...sent, body: '{"title":"two","of":9007199254740993}' });
    t.match(await lost.json(), { status: 400, errors: [{ pointer: '/of', detail: /digits/ }] });
    t.equal(old.asked.length, before);
  });

  t.test('a missing response has the status that the contract declares', async (t) => {
    t.match((await get('/api/v1/late')).body, { status: 504, code: 'GATEWAY_TIMEOUT' });
  });

  t.test('a response with undeclared members, duplicate members or inexact numbers is not passed on', async (t) => {
    t.same((await get('/api/v1/open')).body, { id: 9007199254740992, of: { a: '1', b: '2' } });
    const told = {
      surplus: /invalid body: \/passwordHash is unknown/,
      below: /invalid body: \/of\/c is unknown/,
      twice: /invalid body: \/id is given more than once/,
      digits: /invalid body: \/id has more digits than a number keeps/,
    };
    for (const [how, message] of Object.entries(told)) {
      t.equal((await get(`/api/v1/open?how=${how}`)).status, 500, how);
      t.match(log.splice(0).join('\n'), message);
    }
    t.equal((await get('/api/v1/broken?how=endless')).status, 503);
    log.splice(0);
    t.equal((await get('/api/v1/broken?how=half')).status, 503);
    await get('/api/v1/news');
    log.splice(0);
  });

  t.test('a conditional request is answered with 304', async (t) => {
    const first = await get('/api/v1/tasks/1');
    const etag = first.headers.get('etag') ?? '';
    t.equal((await get('/api/v1/tasks/1', { headers: { 'if-none-match': etag } })).status, 304);
  });

  t.test('failures of the upstream have the format of this service', async (t) => {
    const absent = await get('/api/v1/tasks/2');
    t.match(absent.body, { status: 404, code: 'NOT_FOUND', detail: 'No task 2.', instance: '/api/v1/tasks/2' });
    t.match(absent.headers.get('content-type'), /^application\/problem\+json/);
    t.match((await get('/api/v1/tasks/3')).body, { status: 410, code: 'GONE' }, 'a code of another status is none');
    const away = await get('/api/v1/slow');
    t.match([away.body, away.headers.get('retry-after')], [{ status: 503, code: 'UNAVAILABLE' }, '7']);
    t.same(log, []);
  });

  const broken: Record<string, RegExp> = {
    member: /old answered getBroken with an invalid body: \/secret is unknown/,
    type: /invalid body: \/id must be an integer/,
    text: /with invalid JSON/,
    html: /with text\/html, but the contract declares application\/json/,
    status: /with 418, which is not declared/,
    moved: /with 302, which is not declared/,
    credentials: /with 401: it does not accept the credentials of its URL/,
  };
  for (const [how, told] of Object.entries(broken)) {
    t.test(`a response that violates the contract is not passed on: ${how}`, async (t) => {
      const { status, bytes } = await get(`/api/v1/broken?how=${how}`);
      t.equal(status, 500);
      t.notMatch(bytes.toString(), /secret|teapot|old/);
      t.match(log.splice(0).join('\n'), told, 'the log says what it was');
    });
  }

  t.test('the text of a fault of the upstream is not passed on', async (t) => {
    const { status, bytes } = await get('/api/v1/broken?how=fault');
    t.equal(status, 500);
    t.notMatch(bytes.toString(), /select/);
    t.match(log.splice(0).join('\n'), /old answered getBroken with 500/);
  });

  t.test('an interrupted connection and an unavailable upstream are reported', async (t) => {
    const cut = await get('/api/v1/broken?how=cut');
    t.match([cut.status, cut.headers.get('retry-after')], [503, '2']);
    t.equal((await get('/api/v1/tasks')).status, 200);
    await old.stop();
    t.match((await get('/api/v1/tasks')).body, { status: 503, code: 'UNAVAILABLE' });
    t.equal((await get('/api/v1/greeting')).status, 200, 'what is answered here is');
    await eventually('the log tells of it', async () => /Upstream old is away .* ECONNREFUSED/.test(log.join('\n')));
  });
});

t.test('a slow upstream affects only its own callers', async (t) => {
  const old = await oldService(t);
  const { app, url, person } = await serve(t, await memoryDatabase(t), moving, {
    environment: { OLD_URL: old.OLD_URL },
  });
  const { headers } = await person('Alan');
  const get = async (path: string) => {
    const response = await fetch(`${url}/api/v1/${path}`, { headers });
    return { status: response.status, body: (await response.json()) as { detail: string } };
  };
  const isUp = async () => /^dependency_up\{dependency="Upstream old"\} (\d)$/m.exec(await app.metrics())?.[1];
  const refused: string[] = [];
  const hanging = Array.from({ length: 100 }, async () => {
    const { status, body } = await get('hanging');
    t.equal(status, 503);
    refused.push(body.detail);
  });
  await eventually('those beyond its places are refused', async () => refused.length === 52);
  t.same([...new Set(refused)], ['The service behind getHanging has too many calls at once.']);
  t.equal(old.asked.length, 32, 'calls at once');
  t.equal((await get('greeting')).status, 200, 'what is answered here waits for nothing');
  t.equal(await isUp(), '1');
  await old.stop();
  await Promise.all(hanging);
  t.equal(await isUp(), '0');
  t.match((await get('tasks')).body.detail, 'has not answered for a while', 'it is not asked again for now');
});

t.test('a body that this service rejects is no failure of the upstream', async (t) => {
  const old = await oldService(t);
  const { app, url, person } = await serve(t, await memoryDatabase(t), moving, {
    environment: { OLD_URL: old.OLD_URL },
  });
  const { headers } = await person('Alan');
  const put = async (pieces: number) => {
    const piece = Buffer.alloc(1024 * 1024);
    const body = Readable.from(Array.from({ length: pieces }, () => piece));
    const init = { method: 'PUT', headers: { ...headers, 'content-type': 'image/png' }, body, duplex: 'half' };
    return (await fetch(`${url}/api/v1/pictures/1`, init as never)).status;
  };
  // More failures than the circuit breaker tolerates.
  for (let sent = 0; sent < 8; sent++) t.equal(await put(2), 413);
  t.match(await app.metrics(), /^dependency_up\{dependency="Upstream old"\} 1$/m);
  t.equal(await put(0), 204);
});

t.test('a slow request body is no failure of the upstream', async (t) => {
  const old = await oldService(t);
  const { app, url, person } = await serve(t, await memoryDatabase(t), moving, {
    environment: { OLD_URL: old.OLD_URL },
  });
  const { headers } = await person('Alan');
  // The number of failures that opens the circuit breaker.
  const answers = Array.from({ length: 5 }, async () => {
    const put = request(`${url}/api/v1/pictures/1`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'image/png' },
    });
    put.write('a');
    const [answer] = (await once(put, 'response')) as [IncomingMessage];
    put.destroy();
    return answer.statusCode;
  });
  t.same(new Set(await Promise.all(answers)), new Set([408]));
  t.match(await app.metrics(), /^dependency_up\{dependency="Upstream old"\} 1$/m);
  t.equal((await fetch(`${url}/api/v1/tasks`, { headers })).status, 200, 'it is still asked');
});

t.test('the service does not start without the address of an upstream', async (t) => {
  const database = await memoryDatabase(t);
  await t.rejects(
    serve(t, database, moving),
    new ConfigError('OLD_URL: is missing. Set it to the address of "old", to which the contract forwards requests.'),
  );
});

t.test('a contract with own reach or further permissions on a forwarded operation is rejected', async (t) => {
  const database = await memoryDatabase(t);
  const refused = async (change: object) => {
    const openapi = structuredClone(moving.openapi) as { paths: typeof paths };
    Object.assign(openapi.paths['/api/v1/tasks'].get, change);
    const served = serve(t, database, { ...moving, openapi }, { environment: { OLD_URL: 'http://127.0.0.1:9' } });
    return served.then(
      () => 'it starts',
      (error: Error) => error.message,
    );
  };
  const own = { action: 'documents.read', viewer: 'own', developer: 'any', admin: 'any' };
  t.match(await refused({ 'x-permission': own }), /listTasks: .* cannot be "own" for viewer/);
  t.match(
    await refused({ 'x-permission-also': [{ ...own, when: 'it is new' }] }),
    /listTasks: .* no further permission/,
  );
  t.match(await refused({ 'x-forward': at('/x/{nothing}') }), /listTasks: x-forward fills \{nothing\}/);
});

t.test('the workbench supports forwarded operations', async (t) => {
  const text = (change: (all: typeof paths) => void = () => {}) => {
    const all = structuredClone(paths);
    change(all);
    return JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Moving', version: '1.0.0' },
      tags: [{ name: 'tasks' }],
      paths: all,
      components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
    });
  };
  const written = generateOperations(openApiOf(text()));
  t.match(
    written,
    /export interface TasksHandlers \{\n {2}greet: Greet;\n {2}leave: Leave;\n\}/,
    'no handler is asked for',
  );
  t.match(written, /getTask: \{ method: 'GET'/, 'where it is reached is known all the same');

  const told = async (change: Parameters<typeof text>[0]) =>
    (await checkOpenApi(openApiOf(text(change))))
      .filter(({ rule }) => rule === 'operation-forward')
      .map(({ message }) => message);
  t.same(await told(() => {}), []);
  t.match(await told((all) => void Object.assign(all['/api/v1/tasks'].get, { 'x-forward': at('/x/{nothing}') })), [
    /fills \{nothing\}/,
  ]);
  t.match(await told((all) => void Object.assign(all['/api/v1/tasks'].get, { 'x-forward': { path: '/x' } })), [
    /name of a service/,
  ]);
  t.match(await told((all) => void Object.assign(all['/api/v1/tasks'].get, { 'x-forward': at('tasks') })), [
    /starts with \//,
  ]);
  const own = { action: 'documents.read', viewer: 'own', developer: 'any', admin: 'any' };
  t.match(await told((all) => void Object.assign(all['/api/v1/tasks'].get, { 'x-permission': own })), [
    /cannot be "own" for viewer/,
  ]);
  t.match(await told((all) => void Object.assign(all['/api/v1/tasks'].get, { 'x-permission-also': [own] })), [
    /no further permission/,
  ]);
});

const at = (path: string) => ({ to: 'old', path });

/** Returns the status for an unencoded path. Clients of the URL Standard would encode it. */
const raw = (url: string, path: string, { headers }: Person) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { path, headers: { ...headers } }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
