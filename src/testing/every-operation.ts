import { isPlain, type Schema } from '@accord-api/platform/internals/core/contract/document';
import {
  type BodyForm,
  bodyForms,
  prefixOf,
  type RestOperation,
} from '@accord-api/platform/internals/core/contract/openapi';
import { schemaOf } from '@accord-api/platform/internals/core/contract/parameter-form';
import { type Json, type RestRequest, sendRaw } from './client.js';
import { partKey, type RequestPart, restContract } from './coverage/rest.js';
import { type Side, schemaAt, sideName } from './coverage/schema-parts.js';
import { type ConformanceOptions, type Draft, type RequestContext, suite } from './kit.js';
import type { TestService } from './service.js';
import { addressOf, sendDraft, soundRequest, testedOperations, withBody, withParameter } from './sound-request.js';
import { boundaryValue, samplesOf } from './values.js';

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
  const prefixes = service.versions.map(prefixOf);
  const prefixIn = (path: string) => prefixes.find((prefix) => path.startsWith(`${prefix}/`));
  const thatDeclare = (status: number) =>
    operations.filter(({ operation }) => Object.hasOwn(operation.responses, status));
  const sound = async (operation: RestOperation, form?: BodyForm): Promise<[string, string, RestRequest]> => {
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
      const accept = prefix ? `${service.app.core.names.mediaType}; version=${UNKNOWN_VERSION}` : 'image/png';
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

/** Yields a sound request for each part of the requests of all implemented operations. A parameter has no `form`. */
async function* requestsByPart<Part extends { owner: string; media: string | undefined }>(
  service: TestService,
  options: ConformanceOptions,
  parts: Iterable<Part>,
) {
  const byId = new Map(testedOperations(service, options).map((operation) => [operation.operationId, operation]));
  for (const part of parts) {
    const operation = byId.get(part.owner);
    const form = operation && bodyForms(operation).find(({ type }) => type === part.media);
    if (operation && !service.app.notWritten.includes(part.owner))
      yield { operation, part, form, ...(await soundRequest(service, options, operation, {}, form)) };
  }
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
  onAnswer: (operation: RestOperation, body: unknown, answer: { status: number; body: Json }) => void,
): Promise<void> {
  const { source } = service.contract;
  const requests = requestsByPart(service, options, restContract(source).bodyParts());
  for await (const { operation, part, draft, context, form } of requests) {
    if (form?.kind !== 'json') continue;
    // Without a sound body of a further media type, its other members are unknown.
    if (draft.body === undefined && form.type !== bodyForms(operation)[0]?.type) continue;
    const body = withPart(draft.body ?? {}, stepsOf(part.pointer), (present) =>
      part.value === undefined
        ? otherValue(schemaAt(source, part.schema), present, context, source as unknown as Schema)
        : part.value === present
          ? undefined
          : part.value,
    );
    if (body !== undefined) onAnswer(operation, body, await sendDraft(service, operation, withBody(draft, form, body)));
  }
}

/** Sends a value on each side of each bound of a parameter or a body, in a request of its own. */
export async function sendBounds(
  service: TestService,
  options: ConformanceOptions,
  isExcepted: (...keys: string[]) => boolean,
  onAnswer: (key: string, side: Side, status: number, text: string) => void,
): Promise<void> {
  const { source } = service.contract;
  const { observe, elements } = restContract(source);
  const done = new Set<string>();
  const bodyLimit = service.app.initialConfig.bodyLimit ?? 0;
  function* bounds() {
    for (const { key, owner, within = '', part } of elements()) {
      // One of several media types with the same bound is enough.
      if (part?.bound === undefined || done.has(key)) continue;
      // The service reads no larger body, so the contract must except the bound.
      const isTooLarge = !part.bound.keyword.endsWith('imum') && part.bound[part.bound.side] > bodyLimit;
      if (!isTooLarge && !isExcepted(key, within)) yield { ...(part as Required<RequestPart>), key, owner };
    }
  }
  for await (const { operation, part, form, draft, context } of requestsByPart(service, options, bounds())) {
    const { key, bound, whole, pointer } = part;
    const parameter = operation.operation.parameters.find((parameter) => `${parameter.in} ${parameter.name}` === whole);
    const put = (value: unknown) =>
      parameter ? withParameter(draft, parameter, value) : withBody(draft, form as BodyForm, value);
    const valueOn = (side: Side) => (sound: unknown) => {
      const root = source as unknown as Schema;
      return boundaryValue(bound, side, { schema: schemaAt(source, part.schema), root, sound, number: context.number });
    };
    /** Returns true if a request with the value within the bound shows that side: it contains the right alternative. */
    const isShown = (sound: Draft): boolean => {
      const [path = '', query = ''] = addressOf(operation, sound).split('?');
      const body = typeof sound.body === 'string' ? sound.body : JSON.stringify(sound.body);
      const request = { query, headers: new Headers(sound.headers), body };
      const exchange = { method: operation.method, path, request, status: 204, headers: new Headers(), text: '' };
      const shown = sideName(`${operation.operationId} ${partKey(whole, pointer)}`, bound, 'at');
      return observe(operation, exchange).has(shown);
    };
    const given = await options.bounds?.[key]?.(context);
    const steps = stepsOf(pointer);
    const present = parameter ? draft.query[parameter.name] : draft.body;
    for (const value of candidates(present, (parameter ? schemaOf(parameter) : form?.schema) ?? {}, steps)) {
      const wanted = withPart(value, steps, given === undefined ? valueOn(bound.side) : () => given);
      if (wanted === undefined || (given === undefined && !isShown(put(withPart(value, steps, valueOn('at'))))))
        continue;
      done.add(key);
      const { status, text } = await sendDraft(service, operation, put(wanted));
      onAnswer(key, bound.side, status, text);
      break;
    }
  }
}

/** Lists values that may contain a part: the sound one, the sound one with a missing member, and others of the schema. */
function* candidates(sound: unknown, schema: Schema, [first = '']: string[]): Generator<unknown> {
  if (sound !== undefined) yield sound;
  const name = first.slice(1);
  for (const sample of samplesOf(schema, schema, 50)) {
    if (isPlain(sound) && isPlain(sample) && name in sample) yield { ...sound, [name]: sample[name] };
    yield sample;
  }
}

/** Returns the steps of a pointer of the coverage: members, items `[]` and values of maps `{}`. Alternatives are no steps. */
const stepsOf = (pointer: string): string[] =>
  [...pointer.matchAll(/<[^<>]*>|\/[^/[{<]+|\[\]|{}/g)].map(([step]) => step).filter((step) => !step.startsWith('<'));

/** Replaces one part of a value; returns undefined if the value does not contain its parent. */
function withPart(value: unknown, [step, ...others]: string[], replace: (present: unknown) => unknown): unknown {
  if (step === undefined) return replace(value);
  if (step === '[]') {
    if (!Array.isArray(value)) return undefined;
    const item = withPart(value[0], others, replace);
    return item === undefined ? undefined : [item, ...value.slice(1)];
  }
  if (!isPlain(value)) return undefined;
  const name = step === '{}' ? (Object.keys(value)[0] ?? 'member') : step.slice(1);
  const member = withPart(value[name], others, replace);
  return member === undefined ? undefined : { ...value, [name]: member };
}
