import t from 'tap';
import type { Operation } from '../../src/contract/openapi.js';
import { contractOperations } from '../support/contract.js';
import { onEachDatabase } from '../support/databases.js';
import { codeOf, type RestRequest, startInstance, startService } from '../support/service.js';
import { addressOf, soundRequest } from '../support/sound-requests.js';

const PREFIX = '/api/v1';

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
    const version9 = 'application/vnd.accord+json; version=9';
    for (const operation of thatDeclare(406)) {
      const [method, path, request] = await sound(operation);
      // The prefix names a version too, and two that disagree are 400.
      const isVersioned = path.startsWith(PREFIX);
      const headers = { ...request.headers, accept: isVersioned ? version9 : 'image/png' };
      const answer = await service.rest(method, isVersioned ? path.slice(PREFIX.length) : path, {
        ...request,
        headers,
      });
      t.same(codeOf(answer), [406, 'NOT_ACCEPTABLE'], operation.operationId);
    }
    t.same(codeOf(await service.rest('DELETE', '/users', { headers: { accept: version9 } })), [406, 'NOT_ACCEPTABLE']);
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

  t.test('403: credentials over plain HTTP, in production', async (t) => {
    const KEY_SECRET = 'a secret that encrypts the keys at rest';
    const environment = { NODE_ENV: 'production', KEY_SECRET, METRICS_TOKEN: 'a token for the metrics' };
    const production = await startInstance(t, database, environment);
    for (const operation of thatDeclare(403)) {
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
