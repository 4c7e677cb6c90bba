import { connect } from 'node:net';
import t, { type Test } from 'tap';
import type { PartName } from '../../../src/platform/core/order.js';
import { allParts } from '../../../src/platform/server/all-parts.js';
import { memoryDatabase } from '../../support/databases.js';
import { serve, withoutRow } from '../../support/own-application.js';

const answers = (description: string) => ({
  description,
  content: { 'application/json': { schema: { type: 'object' } } },
});
const problem = { description: 'refused', content: { 'application/problem+json': { schema: { type: 'object' } } } };
const operation = (operationId: string, more: object) => ({
  operationId,
  tags: ['things'],
  responses: { 200: answers('done'), default: problem },
  ...more,
});
/** A contract that needs no part. */
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  paths: {
    '/status': { get: operation('status', { security: [], 'x-permission': 'public' }) },
    '/things': {
      get: operation('listThings', {
        security: [{ jwt: [] }],
        'x-permission': { action: 'users.read', roles: { viewer: 'any', developer: 'any', admin: 'any' } },
      }),
    },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
};
const own = {
  openapi,
  handlers: {
    things: {
      status: async () => ({ status: 200, body: { on: true } }),
      listThings: withoutRow(() => ({ status: 200, body: { things: 1 } })),
    },
  },
};

/** Opens a WebSocket by hand. @returns the status of the answer */
const upgrade = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(
        `GET /graphql HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
      ),
    );
    const giveUp = () => {
      resolve(0);
      socket.destroy();
    };
    socket.setTimeout(5000, giveUp).on('error', reject);
    socket.once('data', (bytes) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString())?.[1]));
      socket.destroy();
    });
  });

/** What each part adds to a service, as its caller sees it. */
const promises: Partial<Record<PartName, (url: string) => Promise<boolean>>> = {
  limits: async (url) => (await fetch(`${url}/status`)).headers.has('x-rate-limit-limit'),
  browsers: async (url) =>
    (await fetch(`${url}/status`, { headers: { origin: 'http://localhost:1' } })).headers.has(
      'access-control-allow-origin',
    ),
  pages: async (url) => (await fetch(`${url}/docs`)).status === 200,
  live: async (url) => (await upgrade(url)) === 101,
};

async function keepsTheCore(t: Test, { url, person, graphql }: Awaited<ReturnType<typeof serve>>): Promise<void> {
  const ada = await person('Ada');
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(url + path, { headers })).status;
  t.equal(await get('/status'), 200);
  t.equal(await get('/things'), 401);
  t.equal(await get('/things', ada.headers), 200);
  t.equal(await get('/things?unknown=1', ada.headers), 400);
  t.equal(await get('/nowhere'), 404);
  t.match(await graphql(ada, '{ __typename }'), { data: { __typename: 'Query' } });
  t.match(await graphql(ada, '{ unknown }'), { errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
}

for (const { name } of allParts) {
  t.test(`a service without ${name} keeps everything else`, async (t) => {
    const service = await serve(t, await memoryDatabase(t), {
      ...own,
      parts: allParts.filter((one) => one.name !== name),
    });
    await keepsTheCore(t, service);
    for (const [other, isKept] of Object.entries(promises)) t.equal(await isKept(service.url), other !== name, other);
  });
}

t.test('a service without parts answers', async (t) => {
  const service = await serve(t, await memoryDatabase(t), { ...own, parts: [] });
  await keepsTheCore(t, service);
  for (const isKept of Object.values(promises)) t.equal(await isKept(service.url), false);
});
