import type { Application } from '@accord-api/platform/internals/application';
import { type Operation, prefixOf, versionsOf } from '@accord-api/platform/internals/contract/openapi';
import { type BodyForm, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import { type RestRequest, send } from './client.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { withService } from './kit.js';
import type { Json } from './people.js';
import { everyMember } from './request-parts.js';
import { addressOf, soundRequest, triedIn } from './sound-request.js';

const ONCE_EACH = ' (what must be unique is made of the number that `bodies` is given)';
const METRICS = 'a token for the metrics';
const NOT_SERVED = '999';

/** What production demands besides, of a service that only a proxy reaches. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example.com',
  KEY_SECRET: 'a secret of more than 32 characters for tests',
};

/**
 * What each operation does in the same way, whatever it is for: it takes a sound request, with each member that it may have; refuses
 * a version that is not served and credentials over plain HTTP; and answers 304, 206 and 406 where it declares them.
 */
export async function everyOperation<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  const environment = { LOGIN_LIMIT: '1000', ...team.environment, METRICS_TOKEN: METRICS };
  await withService(t, application, team, { environment }, async (service, options) => {
    const operations = triedIn(service, options);
    const prefixes = versionsOf(service.contract.document).map(prefixOf);
    const prefixIn = (path: string) => prefixes.find((prefix) => path.startsWith(`${prefix}/`));
    const thatDeclare = (status: number) =>
      operations.filter(({ operation }) => Object.hasOwn(operation.responses, status));
    const sound = async (operation: Operation, form?: BodyForm): Promise<[string, string, RestRequest]> => {
      const { draft } = await soundRequest(service, options, operation, {}, form);
      const isMetrics = operation.security.some((alternative) => 'metricsToken' in alternative);
      const headers = { ...draft.headers, ...(isMetrics && { authorization: `Bearer ${METRICS}` }) };
      return [operation.method, addressOf(operation, draft), { as: draft.as, headers, body: draft.body }];
    };

    await t.test('a sound request is answered with what the contract says of success', async (t) => {
      for (const operation of operations) {
        if (service.app.notWritten.includes(operation.operationId)) continue;
        const forms = bodyForms(operation);
        for (const form of forms.length > 0 ? forms : [undefined]) {
          const request = await sound(operation, form);
          // What a sound body of a further media type is, the contract need not say.
          if (form !== forms[0] && request[2].body === undefined) continue;
          const { status, body } = await service.rest(...request);
          const failure = form === forms[0] ? '' : `, after it was sent as ${forms[0]?.type}${ONCE_EACH}`;
          t.ok(
            status < 400,
            `${operation.operationId}${failure}: ${status} ${status < 400 ? '' : JSON.stringify(body)}`,
          );
        }
      }
    });

    await t.test('each member that a body may have, and each value of a closed list, is read', async (t) => {
      await everyMember(service, options, ({ operationId }, body, answer) => {
        // The rules of the service say whether it is accepted; coverage counts those that are.
        const isRead = answer.status < 500 && answer.status !== 400;
        t.ok(isRead, `${operationId} ${JSON.stringify(body)}: ${told(answer)}`);
      });
    });

    await t.test('406: a version that is not served, or no representation that is wanted', async (t) => {
      for (const operation of thatDeclare(406)) {
        const [method, path, request] = await sound(operation);
        // The prefix names a version too, and two that disagree are 400.
        const prefix = prefixIn(path);
        const accept = prefix ? `${service.app.names.mediaType}; version=${NOT_SERVED}` : 'image/png';
        const headers = { ...request.headers, accept };
        const answer = await service.rest(method, path.slice(prefix?.length ?? 0), { ...request, headers });
        t.equal(told(answer), '406 NOT_ACCEPTABLE', operation.operationId);
      }
    });

    await t.test(
      '404: a version that is not served, by the subdomain, before anything else is looked at',
      async (t) => {
        for (const operation of operations) {
          const [method, path, { as }] = await sound(operation);
          const prefix = prefixIn(path);
          if (prefix === undefined) continue;
          for (const credential of [as?.headers, undefined]) {
            const headers = { host: `v${NOT_SERVED}.api.example.com`, ...credential };
            const exchange = await send(service.url, {
              method,
              url: path.slice(prefix.length),
              headers,
              payload: undefined,
            });
            service.heldToContract(exchange);
            t.equal(exchange.status, 404, operation.operationId);
          }
        }
      },
    );

    await t.test('304: the client has it already', async (t) => {
      for (const operation of thatDeclare(304)) {
        const [method, path, { as, headers }] = await sound(operation);
        const etag = (await service.rest(method, path, { as, headers: { ...headers } })).headers.get('etag') ?? '';
        t.ok(etag.includes('"'), operation.operationId);
        const again = await service.rest(method, path, { as, headers: { ...headers, 'if-none-match': etag } });
        t.equal(`${again.status} ${again.text}`, '304 ', operation.operationId);
      }
    });

    await t.test('206: a part of it', async (t) => {
      for (const operation of thatDeclare(206)) {
        const [method, path, { as, headers = {} }] = await sound(operation);
        const whole = await service.rest(method, path, { as, headers });
        const part = await service.rest(method, path, { as, headers: { ...headers, range: 'bytes=1-9' } });
        t.equal(`${part.status} ${part.text}`, `206 ${whole.text.slice(1, 10)}`, operation.operationId);
      }
    });

    await t.test('403: credentials over plain HTTP, in production', async (t) => {
      const production = { environment: { ...environment, ...PRODUCTION }, people: {}, database: service.database };
      await withService(t, application, team, production, async (exposed) => {
        for (const operation of operations.filter(takesCredentials)) {
          const [method, path, { headers, body }] = await sound(operation);
          const as = Object.values(service.people)[0];
          const answer = await exposed.rest(method, path, { as, headers: { ...headers }, body });
          t.equal(told(answer), '403 FORBIDDEN', operation.operationId);
        }
      });
    });
  });
}

const takesCredentials = ({ security, credentialsInBody }: Operation) => security.length > 0 || credentialsInBody;

const told = ({ status, body }: { status: number; body: Json }) => `${status} ${body?.code}`;
