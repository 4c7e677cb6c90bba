import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as graphql from 'graphql';
import t from 'tap';
import { parse } from 'yaml';
import { resolvers } from '../../../src/application/graphql/resolvers.js';
import { handlers } from '../../../src/application/rest/handlers.js';
import { notWritten } from '../../../src/platform/core/calls/errors.js';
import { publishedContracts } from '../../../src/platform/parts/pages/published.js';
import { contractOperations } from '../../support/contract.js';
import { onEachDatabase } from '../../support/databases.js';
import { raw } from '../../support/raw.js';
import { codeOf, startInstance, startService } from '../../support/service.js';

const PUBLISHED_EXTENSIONS = [
  'codes',
  'permission',
  'permission-also',
  'rate-limit',
  'role',
  'uncommon',
  'unmatched',
].map((name) => `"x-${name}":`);

onEachDatabase(t, async (t, open) => {
  const service = await startService(t, await open());
  const { rest, url, admin, viewer, database } = service;

  t.test('the published contracts equal generated/, with entity tags and ranges', async (t) => {
    const here = [{ url, description: 'Where this contract is served.' }, { url: 'https://{version}.{domain}' }];
    const { servers: authored, ...edition } = parse(readFileSync('generated/openapi.yaml', 'utf8'));
    for (const file of ['openapi.yaml', 'openapi.json', 'schema.graphql', 'schema.json']) {
      const whole = await rest('GET', `/${file}`);
      const bytes = file === 'schema.graphql' ? readFileSync(file, 'utf8') : whole.text;
      t.equal(whole.text, bytes);
      const etag = whole.headers.get('etag') as string;
      t.equal((await rest('GET', `/${file}`, { headers: { 'if-none-match': etag } })).status, 304);
      const part = await rest('GET', `/${file}`, { headers: { range: 'bytes=0-99' } });
      t.same([part.status, part.text], [206, bytes.slice(0, 100)]);
      t.match(part.headers.get('content-range'), `bytes 0-99/${Buffer.byteLength(bytes)}`);
      const head = await rest('HEAD', `/${file}`, { headers: { range: 'bytes=0-99' } });
      t.equal(head.status, 200, 'a range applies to GET only');
      const stale = { range: 'bytes=0-99', 'if-range': '"another"' };
      t.equal((await rest('GET', `/${file}`, { headers: stale })).text, bytes, 'a stale If-Range gets the whole');
      t.equal((await rest('GET', `/${file}`, { headers: { range: 'bytes=9999999-' } })).status, 200);
      t.equal(whole.headers.get('cache-control'), 'no-cache');
      t.equal(whole.headers.get('content-encoding'), 'gzip');
      const plain = await rest('GET', `/${file}`, { headers: { 'accept-encoding': 'identity' } });
      t.same([plain.text, plain.headers.get('content-encoding')], [bytes, null]);
      t.not(plain.headers.get('etag'), etag, 'a strong entity tag is of one encoding');
      const address = whole.headers.get('content-location') as string;
      t.match(address, new RegExp(`^/${file}\\?release=1\\.0\\.0-[0-9a-f]{12}$`));
      for (const further of [{}, { 'if-none-match': etag }, { range: 'bytes=0-99' }]) {
        const kept = await rest('GET', address, { headers: further as Record<string, string> });
        t.match(kept.headers.get('cache-control'), /^public, max-age=31536000, immutable$/);
        t.equal(kept.headers.get('content-location'), address);
        if (kept.status === 200) t.equal(kept.text, bytes);
      }
      t.same(codeOf(await rest('GET', `${address}0`)), [404, 'NOT_FOUND'], 'another release');
    }
    await t.test('JSON, YAML and the introspection result state the same contracts', async (t) => {
      const sdl = graphql.buildSchema(readFileSync('schema.graphql', 'utf8'));
      const introspection = (await rest('GET', '/schema.json')).body;
      t.strictSame(introspection, JSON.parse(JSON.stringify({ data: graphql.introspectionFromSchema(sdl) })));
      const { text, body } = await rest('GET', '/openapi.json');
      t.same(body, parse((await rest('GET', '/openapi.yaml')).text), 'JSON says what YAML says');
      const { servers, ...published } = body;
      t.same(published, edition);
      t.match(servers, here, 'and first where it is served');
      t.same([servers.length, servers[1]], [authored.length, authored[1]]);
      t.same([...new Set(text.match(/"x-[a-z-]+":/g))].sort(), PUBLISHED_EXTENSIONS, 'nothing of the workbench');
      t.equal((await rest('GET', '/openapi.json?x=1')).status, 400, 'an unknown query parameter');
    });
  });

  t.test('health, metrics and the redirect to the documentation', async (t) => {
    t.same((await rest('GET', '/livez')).body, { status: 'ok' });
    t.equal((await rest('GET', '/readyz')).status, 200);
    t.match(
      (await rest('GET', '/metrics')).text,
      /http_request_duration_seconds_count\{method="GET",route="\/livez",operation="getLiveness",status="200"/,
    );
  });

  t.test('the root redirects browsers, and lists links as JSON', async (t) => {
    for (const accept of ['*/*', 'text/html', 'text/html, application/json;q=0.9, */*;q=0.8', 'image/png']) {
      const { status, headers } = await rest('GET', '/', { headers: { accept } });
      t.match([status, headers.get('location'), headers.get('vary')], [302, '/docs', /\bAccept\b/], accept);
    }
    for (const accept of ['application/json', 'application/json, */*;q=0.1', 'application/json, text/html;q=0.9']) {
      const { status, body, headers } = await rest('GET', '/', { headers: { accept } });
      t.match([status, headers.get('vary')], [200, /\bAccept\b/], accept);
      for (const { href } of Object.values<{ href: string }>(body._links)) {
        const shown = await fetch(url + href, { headers: { accept: 'text/html, */*' } });
        t.equal(shown.status, href === '/api/v1/users' ? 401 : 200, href);
        // A service waits for who has not read its answer.
        await shown.text();
      }
    }
  });

  t.test('pages: the reference, the errors, GraphiQL', async (t) => {
    for (const [path, text] of [
      ['/docs', 'Accord API reference'],
      ['/docs/errors', 'id="PAYMENT_DECLINED"'],
      ['/graphql', 'GraphiQL'],
    ] as const) {
      const page = await fetch(url + path, { headers: { accept: 'text/html' } });
      const html = await page.text();
      t.same([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
      t.match(html, text);
      t.notMatch(html, /(src|href)="https?:/, 'nothing from elsewhere');
      for (const [, asset] of html.matchAll(/(?:src|href)="(\/[^"]*assets[^"]*)"/g)) {
        const answer = await fetch(url + asset);
        t.same([answer.status, (await answer.arrayBuffer()).byteLength > 0], [200, true], String(asset));
        t.equal(answer.headers.get('content-encoding'), 'gzip', 'compressed by the build');
        t.match(answer.headers.get('cache-control'), /^public, max-age=31536000, immutable$/);
        const other = String(asset).replace(/[^/]{12}-/, 'AAAAAAAAAAAA-');
        t.same(codeOf(await rest('GET', other)), [404, 'NOT_FOUND'], 'of another content');
      }
    }
    for (const name of ['AAAAAAAAAAAA-constructor', 'x'])
      t.same(codeOf(await rest('GET', `/docs/assets/${name}`)), [404, 'NOT_FOUND']);
    const graphiql = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text();
    const script = /src="([^"]*-page\.js)"/.exec(graphiql)?.[1];
    const [first] = /^function firstQuery[\s\S]*?^\}/m.exec(await (await fetch(url + script)).text()) ?? [];
    const schema = graphql.buildSchema(readFileSync('schema.graphql', 'utf8'));
    const query = runInNewContext(`${first}; firstQuery(schema)`, { GraphiQL: { GraphQL: graphql }, schema });
    t.match(query, /^\{\n {2}\w+ \{\n/);
    for (const person of [viewer, admin]) {
      const { errors, data } = await service.graphql(person, query);
      t.same(
        [errors, Object.values(data).length > 0],
        [[], true],
        'what it shows first is answered to whoever logs in',
      );
    }

    const notBrowser = await fetch(`${url}/graphql`);
    t.same([notBrowser.status, notBrowser.headers.get('allow')], [405, 'POST']);
  });

  t.test('an unknown address is 404 for everyone; a trailing slash is 308', async (t) => {
    for (const as of [undefined, admin]) t.same(codeOf(await rest('GET', '/nowhere', { as })), [404, 'NOT_FOUND']);
    t.same(codeOf(await rest('GET', '/nowhere/')), [404, 'NOT_FOUND']);
    for (const [from, to] of [
      ['/api/v1/users/', '/api/v1/users'],
      ['/users/?limit=5', '/users?limit=5'],
      ['/docs/', '/docs'],
      ['/livez/', '/livez'],
    ] as const) {
      const answer = await fetch(url + from, { redirect: 'manual', method: 'POST' });
      t.same([answer.status, answer.headers.get('location')], [308, to], from);
    }
  });

  t.test('a method that a path lacks is 405 with Allow, behind the authentication of the path', async (t) => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
    const byPath = new Map<string, typeof contractOperations>();
    for (const one of contractOperations) byPath.set(one.path, [...(byPath.get(one.path) ?? []), one]);
    for (const [template, operations] of byPath) {
      const path = template.replace('{session_id}', '019a0000-0000-7000-8000-000000000000').replaceAll(/{\w+}/g, '1');
      const declared = operations.map(({ method }) => method);
      const isProtected = operations.every(({ security }) => security.length > 0);
      for (const method of methods.filter((one) => !declared.includes(one))) {
        const answer = await rest(method, path, { as: admin });
        t.same(codeOf(answer), [405, 'METHOD_NOT_ALLOWED'], `${method} ${path}`);
        const allow = answer.headers.get('allow')?.split(', ').sort();
        t.same(allow, [...declared, ...(declared.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort());
        if (isProtected)
          t.same(codeOf(await rest(method, path)), [401, 'UNAUTHENTICATED'], `${method} ${path} by nobody`);
      }
      t.equal((await rest('OPTIONS', path)).status, 204);
    }
  });

  t.test('four ways select a version, each with its failure', async (t) => {
    const ask = (path: string, headers = {}) => rest('GET', path, { as: viewer, headers });
    const vendor = 'application/vnd.accord+json';
    for (const [path, headers] of [
      ['/api/v1/users'],
      ['/users'],
      ['/users?version=1'],
      ['/users', { accept: `${vendor}; version=1` }],
      ['/users', { accept: `${vendor};v=1` }],
      ['/users', { accept: vendor }],
      ['/api/v1/users?version=1&limit=1', { accept: `${vendor};v=1` }],
    ] as [string, object?][]) {
      const answer = await ask(path, headers);
      t.same([answer.status, answer.headers.get('api-version')], [200, '1'], path);
      t.match(answer.headers.get('content-type'), headers ? vendor : 'application/json');
      if (headers) t.match(answer.headers.get('vary'), 'Accept');
    }
    t.equal((await ask('/api/v2/users')).status, 404);
    t.equal((await ask('/users?version=2')).status, 400);
    t.equal((await ask('/users', { accept: `${vendor}; version=2` })).status, 406);
    t.equal((await ask('/api/v1/users?version=2')).status, 400, 'selectors that disagree');
    const { port } = new URL(url);
    const host = (name: string) =>
      raw(
        url,
        `GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /users HTTP/1.1\r\nHost: ${name}:${port}\r\nAuthorization: ${viewer.headers['authorization']}\r\nConnection: close\r\n\r\n`,
      );
    t.match(await host('v1.api.example.com'), /HTTP\/1\.1 200 OK.*HTTP\/1\.1 200 OK/s);
    t.match(await host('v2.api.example.com'), /HTTP\/1\.1 404/);
  });

  t.test('media types and sizes are 406, 415 and 413', async (t) => {
    t.same(codeOf(await rest('GET', '/api/v1/users', { as: viewer, headers: { accept: 'text/html' } })), [
      406,
      'NOT_ACCEPTABLE',
    ]);
    t.equal(
      (await rest('GET', '/api/v1/users', { as: viewer, headers: { accept: 'text/html, */*;q=0.1' } })).status,
      200,
    );
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/merge-patch+json', 'x']) {
      const answer = await rest('POST', '/api/v1/users', { as: admin, body: '{}', headers: { 'content-type': type } });
      t.same(codeOf(answer), [415, 'UNSUPPORTED_MEDIA_TYPE'], type);
    }
    const large = { name: 'x'.repeat(65_536) };
    t.same(codeOf(await rest('POST', '/api/v1/users', { as: admin, body: large })), [413, 'PAYLOAD_TOO_LARGE']);
  });

  t.test('the parser answers non-HTTP bytes with a problem', async (t) => {
    t.match(await raw(url, 'NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s);
    const huge = `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`;
    t.match(await raw(url, huge), /^HTTP\/1\.1 431 /);
    t.equal((await rest('GET', '/livez')).status, 200);
  });

  t.test('an unwritten operation is 501 after its security, and is logged', async (t) => {
    const { orders } = handlers;
    const { Query } = resolvers;
    Object.assign(handlers, { orders: { ...orders, listOrders: notWritten } });
    Object.assign(resolvers, { Query: { ...Query, posts: notWritten } });
    t.teardown(() => Object.assign(handlers, { orders }) && Object.assign(resolvers, { Query }));
    const later = await startInstance(t, database);
    t.same(later.app.notWritten, ['listOrders', 'Query.posts']);
    const path = `/api/v1/users/${viewer.id}/orders`;
    t.same(codeOf(await later.rest('GET', path)), [401, 'UNAUTHENTICATED']);
    t.same(codeOf(await later.rest('GET', path, { as: viewer })), [501, 'NOT_IMPLEMENTED']);
    t.same((await later.graphql(null, '{ posts { id } }')).codes, ['UNAUTHENTICATED']);
    t.same((await later.graphql(viewer, '{ posts { id } }')).codes, ['NOT_IMPLEMENTED']);
  });

  t.test('an unexpected error is 500 on every operation', async (t) => {
    const contracts = await publishedContracts();
    const broken = await startInstance(t, database, {}, { contracts });
    contracts.at = () => {
      throw new Error('The disk has a scratch.');
    };
    const answer = await broken.rest('GET', '/openapi.yaml');
    t.same(codeOf(answer), [500, 'INTERNAL']);
    t.notMatch(answer.text, 'scratch');
  });

  t.test('without its database the service is alive and answers 503', async (t) => {
    await database.client.$disconnect();
    await database.close();
    const answer = await rest('GET', '/api/v1/users', { as: viewer });
    t.same(codeOf(answer), [503, 'UNAVAILABLE']);
    t.match(answer.headers.get('retry-after'), /^\d+$/);
    t.equal((await rest('GET', '/readyz')).status, 503);
    t.equal((await rest('GET', '/livez')).status, 200);
  });
});
