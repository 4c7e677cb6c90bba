import t from 'tap';
import { resolvers } from '../../../src/application/graphql/resolvers.js';
import { handlers } from '../../../src/application/rest/handlers.js';
import { notWritten } from '../../../src/platform/core/calls/errors.js';
import { publishedContracts } from '../../../src/platform/core/contract/published.js';
import { contractOperations } from '../../support/contract.js';
import { onEachDatabase } from '../../support/databases.js';
import { raw } from '../../support/raw.js';
import { codeOf, startInstance, startService } from '../../support/service.js';

onEachDatabase(t, async (t, open) => {
  const service = await startService(t, await open());
  const { rest, url, admin, viewer, database } = service;

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
    for (const operation of contractOperations)
      byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
    for (const [template, operations] of byPath) {
      const path = template.replace('{session_id}', '019a0000-0000-7000-8000-000000000000').replaceAll(/{\w+}/g, '1');
      const declared = operations.map(({ method }) => method);
      const isProtected = operations.every(({ security }) => security.length > 0);
      for (const method of methods.filter((method) => !declared.includes(method))) {
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

  t.test('a body that is too large is 413, of another media type 415, and an answer of another one 406', async (t) => {
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

  t.test('bytes that are not HTTP are answered with a problem, and harm no later request', async (t) => {
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
});
