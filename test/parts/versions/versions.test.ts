import t from 'tap';
import { expandVersions, versionsOf } from '../../../src/platform/core/contract/openapi.js';
import { generateOperations } from '../../../src/workbench/generate/operations.js';
import { checkOpenApi } from '../../../src/workbench/model/check.js';
import { openApiOf } from '../../../src/workbench/model/openapi-source.js';
import { type Answer, EMAIL, notesContract, PASSWORD, startNotes } from '../../support/notes-fixture.js';

const NAME = 'accord';
const VENDOR = `application/vnd.${NAME}+json`;

/** The four ways to select a version. */
const WAYS: [string, (address: string, version: number) => [path: string, headers: Record<string, string>]][] = [
  ['path', (address, version) => [`/api/v${version}${address}`, {}]],
  ['query', (address, version) => [`${address}?version=${version}`, {}]],
  ['media type', (address, version) => [address, { accept: `${VENDOR}; version=${version}` }]],
  ['subdomain', (address, version) => [address, { host: `v${version}.api.example.com` }]],
];

t.test('two versions are served side by side', async (t) => {
  const { app, ask, bearer } = await startNotes(t, { name: NAME });
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask('GET', path, { headers: { ...bearer, ...headers } });
  for (const text of ['one', 'two', 'three']) await ask('POST', '/notes', { headers: bearer, body: { text } });

  /** The headers of every response of a version. */
  const isOf = (version: number | string, { headers }: Answer, about: string) => {
    t.equal(headers['api-version'], String(version), `${about}: API-Version`);
    t.ok(headers['x-rate-limit-limit'], `${about}: counted`);
  };

  for (const [way, spelled] of WAYS) {
    t.test(`by ${way}`, async (t) => {
      for (const version of [1, 2]) {
        const prefix = `/api/v${version}`;
        const about = `version ${version} by ${way}`;
        const by = (address: string, more = '') => {
          const [path, headers] = spelled(address, version);
          return get(more === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${more}`, headers);
        };
        const note = await by('/notes/1');
        isOf(version, note, about);
        const self = `${prefix}/notes/1`;
        const inVersion = { 1: { id: 1, text: 'one', self }, 2: { id: 1, self, content: { text: 'one' } } };
        t.same([note.status, note.body], [200, inVersion[version as 1 | 2]], `${about}: what changed`);

        const list = await by('/notes', 'limit=1&offset=1');
        isOf(version, list, about);
        t.same([list.status, list.body], [200, [{ id: 2, text: 'two', self: `${prefix}/notes/2` }]], about);
        const links = [...(list.headers['link'] ?? '').matchAll(/<([^>?]*)/g)].map(([, path]) => path);
        t.same(links, Array(4).fill(`${prefix}/notes`), `${about}: Link`);
        const first = await by('/notes', 'limit=2&after=');
        const next = await by('/notes', `limit=2&after=${first.body.cursor.next}`);
        t.match(next.body, { data: [{ id: 3 }], cursor: { hasMore: false } }, `${about}: cursor`);

        const labels = await by('/labels');
        isOf(version, labels, about);
        t.equal(labels.status, version === 1 ? 404 : 200, `${about}: what is new`);
        const statistics = await by('/statistics');
        isOf(version, statistics, about);
        t.equal(statistics.status, version === 1 ? 200 : 404, `${about}: what has ended`);

        const [path, headers] = spelled('/notes/1', version);
        const lacking = await ask('PUT', path, { headers: { ...bearer, ...headers } });
        isOf(version, lacking, about);
        t.same([lacking.status, lacking.headers['allow']], [405, 'GET, HEAD, DELETE, OPTIONS'], `${about}: Allow`);
        t.equal((await ask('PUT', path, { headers })).status, 401, `${about}: behind authentication`);
        t.equal((await ask('DELETE', path, { headers: { ...bearer, ...headers } })).status, 204);
        const options = await ask('OPTIONS', path, { headers });
        t.same([options.status, options.headers['api-version']], [204, String(version)], about);

        const [created, createdBy] = spelled('/notes', version);
        const invalid = await ask('POST', created, { headers: { ...bearer, ...createdBy }, body: { text: '' } });
        isOf(version, invalid, about);
        t.same([invalid.status, invalid.body.code], [422, 'VALIDATION_FAILED'], about);
        const unknown = await ask('GET', spelled('/notes/1', version)[0], { headers });
        t.same([unknown.status, unknown.headers['api-version']], [401, String(version)], about);
      }
    });
  }

  t.test('Location and the path of the refresh cookie have the version of the request', async (t) => {
    for (const [way, spelled] of WAYS) {
      for (const version of [1, 2]) {
        const [path, headers] = spelled('/notes', version);
        const {
          status,
          headers: given,
          body,
        } = await ask('POST', path, {
          headers: { ...bearer, ...headers },
          body: { text: way },
        });
        const location = `/api/v${version}/notes/${body.id}`;
        t.same([status, given['location'], body.self], [201, location, location], way);
      }
    }
    for (const version of [1, 2]) {
      const body = { email: EMAIL, password: PASSWORD, cookie: true };
      const { cookies } = await ask('POST', `/api/v${version}/auth/login`, { body });
      t.match(cookies[0], /_access=.*; Path=\/;/);
      t.match(cookies[1], new RegExp(`_refresh=.*; Path=/api/v${version}/auth;`));
      const headers = { cookie: String(cookies[1]).split(';')[0] as string };
      const { cookies: cleared } = await ask('POST', `/api/v${version}/auth/logout`, { headers });
      t.match(cleared[1], new RegExp(`_refresh=; Max-Age=0; Path=/api/v${version}/auth;`));
    }
  });

  t.test('a request without a version gets the newest', async (t) => {
    const answer = await get('/notes/1');
    isOf(2, answer, 'none');
    t.match(answer, { status: 200, body: { content: { text: 'one' } } });
    t.match(answer.headers['vary'], /\bAccept\b/, 'another Accept may get another version');
    t.notMatch((await get('/api/v1/notes/1')).headers['vary'], /\bAccept\b/);
    t.match(await get('/about'), { status: 200, body: { notes: '/api/v2/notes' }, headers: { 'api-version': '2' } });
    t.equal((await get('/statistics')).status, 404);
    t.equal((await get('/notes/1', { accept: VENDOR })).headers['api-version'], '2');
  });

  t.test('an unknown version, and two contradicting versions, are rejected', async (t) => {
    const unserved: Record<string, number> = { path: 404, query: 400, 'media type': 406, subdomain: 404 };
    for (const [way, spelled] of WAYS) {
      for (const version of [0, 3, 12]) {
        const [path, headers] = spelled('/notes', version);
        const answer = await get(path, headers);
        t.same([answer.status, answer.headers['api-version']], [unserved[way], '2'], `${version} by ${way}`);
      }
    }
    t.match((await get('/notes?version=3')).body.errors, [{ parameter: 'version', detail: 'must be one of 1, 2' }]);
    for (const [path, headers] of [
      ['/api/v1/notes?version=2', {}],
      ['/api/v2/notes', { accept: `${VENDOR};v=1` }],
      ['/notes?version=1', { host: 'v2.api.example.com' }],
      ['/notes', { host: 'v1.api.example.com', accept: `${VENDOR};v=2` }],
      ['/notes?version=1&version=2', {}],
    ] as const) {
      t.equal((await get(path, headers)).status, 400, `${path} ${JSON.stringify(headers)}`);
    }
    t.equal((await get('/api/v1/notes?version=1', { accept: `${VENDOR};v=1` })).status, 200);
  });

  t.test('a trailing slash is redirected within the version of the request', async (t) => {
    for (const [from, to, version, headers] of [
      ['/api/v1/notes/', '/api/v1/notes', '1', {}],
      ['/api/v2/notes/?limit=1', '/api/v2/notes?limit=1', '2', {}],
      ['/notes/?version=1', '/notes?version=1', '1', {}],
      ['/notes/', '/notes', '2', {}],
      ['/notes/', '/notes', '1', { host: 'v1.api.example.com' }],
      ['/statistics/?version=1', '/statistics?version=1', '1', {}],
    ] as const) {
      const answer = await get(from, headers);
      const { location, 'api-version': named } = answer.headers;
      t.same([answer.status, location, named], [308, to, version], from);
    }
    t.equal((await get('/api/v3/notes/')).status, 404);
  });

  t.test('each operation is listed once', async (t) => {
    t.same(app.notWritten, []);
    t.same(app.restEntry, { prefixes: ['/api/v1', '/api/v2'], probes: [], sample: '/api/v2/labels' });
  });
});

t.test('the workbench supports a contract with two versions', async (t) => {
  const text = notesContract('notes');
  t.same(await checkOpenApi(openApiOf(text)), []);
  const generated = generateOperations(openApiOf(text));
  t.match(generated, /^ {2}getNote: GetNote;$/m);
  t.match(generated, /^ {2}getNoteV2: GetNoteV2;$/m);
  t.match(generated, /getNoteV2: \{ method: 'GET', path: '\/api\/v2\/notes\/\{id\}', tag: 'notes' \}/);
  const rules = async (from: string, to: string) =>
    (await checkOpenApi(openApiOf(text.replace(from, to)))).map(({ rule }) => rule);
  t.same(await rules('x-last-version: 1', 'x-last-version: 2'), ['operation-last-version'], 'which ends nothing');
  t.same(await rules('x-last-version: 1', 'x-last-version: soon'), ['operation-last-version']);
  t.same(await rules('  /about:', '  /notes:'), ['path-ambiguous'], 'as the newest version is asked for');
});

t.test('a version inherits the operations of the previous one', async (t) => {
  const operation = (id: string, more = {}) => ({ get: { operationId: id, ...more } });
  const paths = {
    '/api/v10/a': operation('a10'),
    '/api/v1/a': operation('a1'),
    '/api/v2/a': operation('a2'),
    '/api/v1/b/{id}': operation('b1', { 'x-last-version': 2 }),
    '/livez': operation('livez'),
  };
  t.same(versionsOf({ paths } as never), ['1', '2', '10'], 'by number');
  const { paths: served } = expandVersions({ paths } as never) as { paths: typeof paths };
  const ids = Object.fromEntries(Object.entries(served).map(([path, { get }]) => [path, get.operationId]));
  t.same(ids, {
    '/api/v1/a': 'a1',
    '/api/v2/a': 'a2',
    '/api/v10/a': 'a10',
    '/api/v1/b/{id}': 'b1',
    '/api/v2/b/{id}': 'b1',
    '/livez': 'livez',
  });
});
