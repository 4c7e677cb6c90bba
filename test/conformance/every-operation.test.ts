import t from 'tap';
import { everyOperation } from '../../src/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { onEachDatabase } from '../support/databases.js';
import { PRODUCTION } from '../support/production.js';
import { exchangeOf, raw } from '../support/raw.js';
import { codeOf, startInstance, startService } from '../support/service.js';

const VERSION_9 = 'application/vnd.accord+json; version=9';

onEachDatabase(t, async (t, open) => {
  await ofExample(everyOperation, t, open);

  const database = await open();
  const service = await startService(t, database, { METRICS_TOKEN: 'a token for the metrics' });

  t.test('401: the metrics have a token of their own', async (t) => {
    for (const as of [undefined, service.admin]) {
      t.same(codeOf(await service.rest('GET', '/metrics', { as })), [401, 'UNAUTHENTICATED']);
    }
  });

  t.test('answers without an operation', async (t) => {
    const { rest, admin } = service;
    const answers = {
      204: await rest('OPTIONS', '/api/v1/users'),
      308: await rest('GET', '/api/v1/users/?limit=1'),
      400: await rest('DELETE', '/api/v1/users?version=7'),
      401: await rest('DELETE', '/api/v1/users'),
      404: await rest('GET', '/nowhere'),
      405: await rest('DELETE', '/api/v1/users', { as: admin }),
      406: await rest('DELETE', '/users', { headers: { accept: VERSION_9 } }),
    };
    for (const [status, answer] of Object.entries(answers)) t.equal(answer.status, Number(status));
    t.equal(answers[308].headers.get('location'), '/api/v1/users?limit=1');
    const unserved = 'DELETE /users HTTP/1.1\r\nHost: v9.api.example.com\r\nConnection: close\r\n\r\n';
    const exchange = exchangeOf('DELETE', '/users', await raw(service.url, unserved));
    service.checkExchange(exchange);
    t.same([exchange.status, JSON.parse(exchange.text).detail], [404, 'Version `9` is not served. Use version 1.']);
  });

  t.test('404: credentials over plain HTTP in production, without an operation', async (t) => {
    const production = await startInstance(t, database, PRODUCTION);
    t.same(codeOf(await production.rest('GET', '/nowhere', { as: service.admin })), [404, 'NOT_FOUND']);
  });
});
