import t from 'tap';
import type { Operation } from '../../src/platform/contract/openapi.js';
import { breaches, contractOperations } from '../support/contract.js';
import { onEachDatabase } from '../support/databases.js';
import { PRODUCTION } from '../support/production.js';
import { exchangeOf, raw } from '../support/raw.js';
import { codeOf, type RestRequest, startInstance, startService } from '../support/service.js';
import { addressOf, soundRequest } from '../support/sound-requests.js';

const PREFIX = '/api/v1';
const VERSION_9 = 'application/vnd.accord+json; version=9';

/** What each operation does in the same way, whatever it is for: tried on every one that declares the status. */
const thatDeclare = (status: number) =>
  contractOperations.filter(({ operation }) => Object.hasOwn(operation.responses, status));

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const service = await startService(t, database, { METRICS_TOKEN: 'a token for the metrics' });
  const sound = async (operation: Operation): Promise<[string, string, RestRequest]> => {
    const draft = await soundRequest(service, operation);
    const { as, headers, body } = draft;
    return [operation.method, addressOf(operation, draft), { as, headers, body }];
  };

  t.test('406: a version that is not served, or no representation that is wanted', async (t) => {
    for (const operation of thatDeclare(406)) {
      const [method, path, request] = await sound(operation);
      // The prefix names a version too, and two that disagree are 400.
      const isVersioned = path.startsWith(PREFIX);
      const headers = { ...request.headers, accept: isVersioned ? VERSION_9 : 'image/png' };
      const answer = await service.rest(method, isVersioned ? path.slice(PREFIX.length) : path, {
        ...request,
        headers,
      });
      t.same(codeOf(answer), [406, 'NOT_ACCEPTABLE'], operation.operationId);
    }
  });

  t.test('404: a version that is not served, by the subdomain, before anything else is looked at', async (t) => {
    // fetch sends no Host but its own.
    const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const sent = { host: 'v9.api.example.com', connection: 'close', ...headers };
      const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
      const text = await raw(service.url, [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      const exchange = exchangeOf(method, path, text);
      for (const breach of breaches(exchange, [])) t.fail(breach);
      return [exchange.status, JSON.parse(exchange.text).detail];
    };
    const refused = [404, 'This version is not served.'];
    for (const operation of contractOperations.filter(({ path }) => path.startsWith(PREFIX))) {
      const [method, path, { as }] = await sound(operation);
      for (const headers of [as?.headers, undefined]) {
        t.same(await ask(method, path.slice(PREFIX.length), headers), refused, operation.operationId);
      }
    }
    t.same(await ask('DELETE', '/users'), refused);
  });

  t.test('401: the metrics have a token of their own', async (t) => {
    for (const as of [undefined, service.admin]) {
      t.same(codeOf(await service.rest('GET', '/metrics', { as })), [401, 'UNAUTHENTICATED']);
    }
  });

  t.test('304: the client has it already', async (t) => {
    const metrics = { authorization: 'Bearer a token for the metrics' };
    for (const operation of thatDeclare(304)) {
      const [method, path, { as, headers }] = await sound(operation);
      const mine = { as, headers: { ...headers, ...(operation.operationId === 'getMetrics' && metrics) } };
      const etag = (await service.rest(method, path, mine)).headers.get('etag') as string;
      t.match(etag, /^"/, operation.operationId);
      const again = await service.rest(method, path, { ...mine, headers: { ...mine.headers, 'if-none-match': etag } });
      t.same([again.status, again.text], [304, ''], operation.operationId);
    }
  });

  t.test('206: a part of it', async (t) => {
    for (const operation of thatDeclare(206)) {
      const [method, path, { as, headers = {} }] = await sound(operation);
      const whole = await service.rest(method, path, { as, headers });
      const part = await service.rest(method, path, { as, headers: { ...headers, range: 'bytes=1-9' } });
      t.same([part.status, part.text], [206, whole.text.slice(1, 10)], operation.operationId);
    }
  });

  t.test('where no operation is', async (t) => {
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
  });

  t.test('403: credentials over plain HTTP, in production', async (t) => {
    const environment = { ...PRODUCTION, METRICS_TOKEN: 'a token for the metrics' };
    const production = await startInstance(t, database, environment);
    const takesCredentials = ({ security, credentialsInBody }: Operation) => security.length > 0 || credentialsInBody;
    for (const operation of contractOperations.filter(takesCredentials)) {
      const [method, path, { headers, body }] = await sound(operation);
      const answer = await production.rest(method, path, {
        as: service.admin,
        headers: { ...headers },
        body,
      });
      t.same(codeOf(answer), [403, 'FORBIDDEN'], operation.operationId);
    }
    t.same(codeOf(await production.rest('GET', '/nowhere', { as: service.admin })), [404, 'NOT_FOUND']);
  });
});
