import { type Schema, valueAt } from '@accord-api/platform/internals/contract/document';
import {
  type BodyForm,
  bodyForms,
  type Operation,
  prefixOf,
  versionsOf,
} from '@accord-api/platform/internals/contract/openapi';
import { type Json, type RestRequest, sendRaw } from './client.js';
import { restContract } from './coverage/rest.js';
import { schemaAt } from './coverage/schema-parts.js';
import { type ConformanceOptions, type RequestContext, suite } from './kit.js';
import type { TestService } from './service.js';
import { addressOf, sendDraft, soundRequest, stepsOf, testedOperations, withBody, withPart } from './sound-request.js';
import { samplesOf } from './values.js';

const METRICS_TOKEN = 'a token for the metrics';
const UNKNOWN_VERSION = '999';

/** The required variables of a production service behind a proxy. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example.com',
  KEY_SECRET: 'a secret of more than 32 characters for tests',
};

const settings = (_: unknown, { environment }: ConformanceOptions) => ({
  environment: { LOGIN_LIMIT: '1000', ...environment, METRICS_TOKEN },
});

/**
 * Tests versions, media types, ranges, conditional requests and plain HTTP, and that the service reads each part of a sound
 * request.
 */
export const everyOperation = suite(async (t, service, options) => {
  const operations = testedOperations(service, options);
  const prefixes = versionsOf(service.contract.document).map(prefixOf);
  const prefixIn = (path: string) => prefixes.find((prefix) => path.startsWith(`${prefix}/`));
  const thatDeclare = (status: number) =>
    operations.filter(({ operation }) => Object.hasOwn(operation.responses, status));
  const sound = async (operation: Operation, form?: BodyForm): Promise<[string, string, RestRequest]> => {
    const { draft } = await soundRequest(service, options, operation, {}, form);
    const isMetrics = operation.security.some((alternative) => 'metricsToken' in alternative);
    const headers = { ...draft.headers, ...(isMetrics && { authorization: `Bearer ${METRICS_TOKEN}` }) };
    return [operation.method, addressOf(operation, draft), { as: draft.as, headers, body: draft.body }];
  };

  await t.test('a sound request succeeds', async (t) => {
    for (const operation of operations) {
      if (service.app.notWritten.includes(operation.operationId)) continue;
      const [first, ...others] = bodyForms(operation);
      for (const form of [first, ...others]) {
        const request = await sound(operation, form);
        // The contract may have no example for a further media type.
        if (form !== first && request[2].body === undefined) continue;
        const { status, body } = await service.rest(...request);
        const hint = form === first ? '' : `, after ${first?.type}: use \`number\` for unique values in \`bodies\``;
        const failure = status < 400 ? '' : JSON.stringify(body);
        t.ok(status < 400, `${operation.operationId}${hint}: ${status} ${failure}`);
      }
    }
  });

  await t.test('the service reads each member of a body and each enumeration value', async (t) => {
    await sendEveryMember(service, options, ({ operationId }, body, answer) => {
      // The rules of the application may reject a value, but the coverage counts accepted ones only.
      const isRead = answer.status < 500 && answer.status !== 400;
      t.ok(isRead, `${operationId} ${JSON.stringify(body)}: ${statusAndCode(answer)}`);
    });
  });

  await t.test('406: an unknown version or media type', async (t) => {
    for (const operation of thatDeclare(406)) {
      const [method, path, request] = await sound(operation);
      // Without the prefix, because two versions that disagree are 400.
      const prefix = prefixIn(path);
      const accept = prefix ? `${service.app.names.mediaType}; version=${UNKNOWN_VERSION}` : 'image/png';
      const headers = { ...request.headers, accept };
      const answer = await service.rest(method, path.slice(prefix?.length ?? 0), { ...request, headers });
      t.equal(statusAndCode(answer), '406 NOT_ACCEPTABLE', operation.operationId);
    }
  });

  await t.test('404: an unknown version in the subdomain, before any other check', async (t) => {
    for (const operation of operations) {
      const [method, path, { as }] = await sound(operation);
      const prefix = prefixIn(path);
      if (prefix === undefined) continue;
      for (const credential of [as?.headers, undefined]) {
        const headers = { host: `v${UNKNOWN_VERSION}.api.example.com`, ...credential };
        const url = path.slice(prefix.length);
        const exchange = await sendRaw(service.url, { method, url, headers, payload: undefined });
        service.checkExchange(exchange);
        t.equal(exchange.status, 404, operation.operationId);
      }
    }
  });

  await t.test('304: an unchanged resource', async (t) => {
    for (const operation of thatDeclare(304)) {
      const [method, path, { as, headers }] = await sound(operation);
      const etag = (await service.rest(method, path, { as, headers: { ...headers } })).headers.get('etag') ?? '';
      t.ok(etag.includes('"'), operation.operationId);
      const again = await service.rest(method, path, { as, headers: { ...headers, 'if-none-match': etag } });
      t.equal(`${again.status} ${again.text}`, '304 ', operation.operationId);
    }
  });

  await t.test('206: a range', async (t) => {
    for (const operation of thatDeclare(206)) {
      const [method, path, { as, headers = {} }] = await sound(operation);
      const whole = await service.rest(method, path, { as, headers });
      const part = await service.rest(method, path, { as, headers: { ...headers, range: 'bytes=1-9' } });
      t.equal(`${part.status} ${part.text}`, `206 ${whole.text.slice(1, 10)}`, operation.operationId);
    }
  });

  await t.test('403: credentials over plain HTTP in production', async (t) => {
    const ofProduction = suite(
      async (t, exposed) => {
        for (const operation of operations) {
          if (operation.security.length === 0 && !operation.credentialsInBody) continue;
          const [method, path, { headers, body }] = await sound(operation);
          const as = Object.values(service.people)[0];
          const answer = await exposed.rest(method, path, { as, headers: { ...headers }, body });
          t.equal(statusAndCode(answer), '403 FORBIDDEN', operation.operationId);
        }
      },
      (application, given) => {
        const { environment } = settings(application, given);
        return { environment: { ...environment, ...PRODUCTION }, people: {}, database: service.database };
      },
    );
    await ofProduction(t, service.application, options);
  });
}, settings);

const statusAndCode = ({ status, body }: { status: number; body: Json }) => `${status} ${body?.code}`;

/** Lists the parts of the requests of all implemented operations. A parameter has no `form`. */
export function partsOfRequests(service: TestService, options: ConformanceOptions) {
  const written = testedOperations(service, options).filter((one) => !service.app.notWritten.includes(one.operationId));
  const byId = new Map(written.map((operation) => [operation.operationId, operation]));
  return [...restContract(service.contract.source).elements()].flatMap((element) => {
    const { owner, part } = element;
    const operation = byId.get(owner);
    if (!operation || !part) return [];
    return [{ operation, element, part, form: bodyForms(operation).find(({ type }) => type === part.media) }];
  });
}

/** Returns a value for an absent member and the other value of a boolean; undefined for any other present member. */
function otherValue(schema: Schema, present: unknown, { number }: RequestContext, root: Schema): unknown {
  if (typeof present === 'boolean') return !present;
  if (present !== undefined) return undefined;
  if (schema['format'] === 'email') return `member${number}@example.com`;
  const [example] = (schema['examples'] as unknown[] | undefined) ?? [];
  return schema['example'] ?? example ?? schema.const ?? schema['default'] ?? samplesOf(schema, root, 1)[0];
}

/** Sends each optional member and each enumeration value of a JSON body in a request of its own, about a resource of its own. */
async function sendEveryMember(
  service: TestService,
  options: ConformanceOptions,
  onAnswer: (operation: Operation, body: unknown, answer: { status: number; body: Json }) => void,
): Promise<void> {
  const { source } = service.contract;
  for (const { operation, element, part, form } of partsOfRequests(service, options)) {
    const isMember = element.kind === 'requestMember';
    if (form?.kind !== 'json' || !(isMember || element.kind === 'requestValue')) continue;
    const { draft, context } = await soundRequest(service, options, operation, {}, form);
    // Without a sound body of a further media type, its other members are unknown.
    if (draft.body === undefined && form !== bodyForms(operation)[0]) continue;
    const body = withPart(draft.body ?? {}, stepsOf(part.pointer.split(' = ')[0] ?? ''), (present) => {
      if (isMember) return otherValue(schemaAt(source, part.schema), present, context, source as unknown as Schema);
      const value = valueAt(source, part.schema);
      return value === present ? undefined : value;
    });
    if (body !== undefined) onAnswer(operation, body, await sendDraft(service, operation, withBody(draft, form, body)));
  }
}
