import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { addressOf, soundRequest } from '../../support/conformance.js';
import { breaches, contractOperations } from '../../support/contract.js';
import { onEachDatabase } from '../../support/databases.js';
import { ARRIVAL, PROXIED } from '../../support/production.js';
import { type RestRequest, startInstance, startService } from '../../support/service.js';
import { refusedUpgrade } from '../../support/socket.js';

const FOREIGN = 'evil.example';
const DEMO = { DEMO: 'on', PUBLIC_URL: 'https://api.example.com' };

/** Asks with a Host of its own, which `fetch` does not let through. */
async function ask(url: string, path: string, headers: Record<string, string>, body?: unknown, method = 'GET') {
  const sent = request(url + path, { method, headers });
  sent.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode as number, headers: response.headers, text: await text(response) };
}

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const service = await startService(t, database);
  const { url, viewer } = service;
  const published = await startInstance(t, database, { ...DEMO, CORS_ORIGINS: 'https://app.example.com' });

  t.test('a demo refuses browsers that use a foreign host', async (t) => {
    const headers = { host: FOREIGN, origin: `http://${FOREIGN}` };
    const refused = async (method: string, path: string, draft: RestRequest = {}) => {
      const type = draft.body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = { ...type, ...draft.as?.headers, ...draft.headers, ...headers };
      const answer = await ask(url, path, sent, draft.body, method);
      t.match([answer.status, JSON.parse(answer.text)], [403, { code: 'FORBIDDEN' }], `${method} ${path}`);
      const [pathname = '', query = ''] = path.split('?');
      const asked = { query, headers: new Headers(sent) };
      const told = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
      const exchange = { method, path: pathname, request: asked, status: 403, headers: told, text: answer.text };
      t.same(breaches(exchange, []), []);
    };
    for (const operation of contractOperations) {
      const draft = await soundRequest(service, operation);
      await refused(operation.method, addressOf(operation, draft), draft);
    }
    for (const path of ['/nowhere', '/users/', '/api/v1/users?version=9']) await refused('GET', path);
    for (const path of ['/docs', '/docs/errors', '/graphql']) {
      t.equal((await ask(url, path, { ...headers, accept: 'text/html' })).status, 403, path);
    }
    const page = await ask(url, '/docs', {});
    const [, asset] = /src="([^"]+reference\.js)"/.exec(page.text) ?? [];
    t.equal((await ask(url, asset as string, {})).status, 200);
    t.equal((await ask(url, asset as string, headers)).status, 403, 'a file');
    t.equal(await refusedUpgrade(`${url}/graphql`, headers), 403, 'a WebSocket');
  });

  t.test('GraphQL refuses with status 200', async (t) => {
    const headers = {
      ...viewer.headers,
      'content-type': 'application/json',
      host: FOREIGN,
      'sec-fetch-site': 'same-origin',
    };
    const answer = await ask(url, '/graphql', headers, { query: '{ me { id } }' }, 'POST');
    t.equal(answer.status, 200);
    t.match(JSON.parse(answer.text), { errors: [{ extensions: { code: 'FORBIDDEN', statusCode: 403 } }] });
  });

  t.test('preflights from listed origins are refused too', async (t) => {
    const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' };
    const status = async (host: string) => {
      const sent = request(`${published.url}/api/v1/users`, {
        method: 'OPTIONS',
        headers: { ...preflight, host },
      }).end();
      const [response] = await once(sent, 'response');
      response.resume();
      return response.statusCode;
    };
    t.same([await status('api.example.com'), await status(FOREIGN)], [204, 403]);
  });

  t.test('browsers are recognized by their headers', async (t) => {
    const status = async (headers: Record<string, string>) =>
      (await ask(url, '/api/v1/users', { host: FOREIGN, ...viewer.headers, ...headers })).status;
    t.equal(await status({ origin: 'null' }), 403);
    t.equal(await status({ 'sec-fetch-site': 'none' }), 403);
    t.equal(await status({ 'accept-language': 'en' }), 403, 'a GET of a page that has rebound its name sends neither');
    t.equal(await status({ 'accept-language': '*', 'sec-fetch-mode': 'cors' }), 200, "Node's own fetch");
    t.equal(await status({}), 200, 'curl');
  });

  t.test('browsers may use these hosts', async (t) => {
    const status = async (base: string, host: string, more = {}) =>
      (await ask(base, '/livez', { host, origin: 'http://localhost', ...more })).status;
    const own = ['localhost', 'localhost:3000', 'LOCALHOST', 'v1.localhost:3000', 'accord.localhost', '127.0.0.1:3000'];
    for (const host of [...own, '127.8.9.1', '[::1]:3000', '[::1]']) {
      for (const base of [url, published.url]) t.equal(await status(base, host), 200, host);
    }
    for (const host of ['api.example.com', 'api.example.com:8443', 'v1.api.example.com', 'V1.API.example.com']) {
      t.same([await status(url, host), await status(published.url, host)], [403, 200], host);
    }
    const near = [
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.evil.example',
      'v1.evil.example',
      'example.com',
    ];
    const odd = ['x.api.example.com', 'evil.example@localhost', 'localhost@evil.example', 'evil.example/localhost'];
    for (const host of [...near, ...odd, '192.168.0.7', '0.0.0.0', '[::2]', 'localhost.', ':3000']) {
      for (const base of [url, published.url]) t.equal(await status(base, host), 403, host);
    }
    const claim = { 'x-forwarded-host': 'localhost', ...ARRIVAL };
    const trusting = await startInstance(t, database, { ...DEMO, TRUST_PROXY: 'loopback' });
    t.equal(await status(trusting.url, FOREIGN, claim), 403, 'a page can send X-Forwarded-Host itself');
    const named = await ask(published.url, '/users', {
      host: 'v1.api.example.com',
      ...viewer.headers,
      origin: 'https://x.example',
    });
    t.match([named.status, named.headers['api-version']], [200, '1'], 'a version is chosen all the same');
  });

  t.test('production accepts every host', async (t) => {
    const { url } = await startInstance(t, database, PROXIED);
    t.equal((await ask(url, '/livez', { host: FOREIGN, origin: `https://${FOREIGN}` })).status, 200);
  });
});
