import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as graphql from 'graphql';
import t from 'tap';
import { parse } from 'yaml';
import { onEachDatabase } from '../../support/databases.js';
import { codeOf, startService } from '../../support/service.js';

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
  const { rest, url, admin, viewer } = service;

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

  t.test('a browser gets the reference, the errors and GraphiQL with nothing from elsewhere', async (t) => {
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
});
