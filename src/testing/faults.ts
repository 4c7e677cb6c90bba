import type { Parameter, Schema } from '@accord-api/platform/internals/core/contract/document';
import { bodyFormFor, bodyForms, type RestOperation } from '@accord-api/platform/internals/core/contract/openapi';
import { parameterForm, scalarsIn, schemaOf } from '@accord-api/platform/internals/core/contract/parameter-form';
import { mergeSchema } from '@accord-api/platform/internals/core/contract/schemas';
import { rows } from '@accord-api/platform/internals/core/order';
import type { Person } from './client.js';
import { parameterNames } from './contract.js';
import { boundsIn } from './coverage/schema-parts.js';
import { type ConformanceOptions, type Draft, type RequestContext, suite, type TestRunner } from './kit.js';
import type { TestService } from './service.js';
import { isOwned, rolesIn, sendDraft, soundRequest, testedOperations } from './sound-request.js';
import { boundaryValue } from './values.js';

interface Target {
  operation: RestOperation;
  options: ConformanceOptions;
  service: TestService;
}
type Change = (draft: Draft, context: RequestContext) => void | Promise<void>;

export interface Fault {
  name: string;
  status: number;
  /** The place in the order of failures (docs/decisions.md, "Failures"). */
  rank: number;
  stage: string;
  /** True if the handler rejects the fault, so that an operation without a handler does not. */
  isByHandler?: boolean;
  /** Returns a function that adds the fault to a valid request, unless the operation cannot have it. */
  changeFor: (target: Target) => Change | false | undefined;
}

const UNKNOWN = 'accord_unknown';
const ABSENT_IDS: Record<string, string> = { integer: '999999', uuid: '019a0000-0000-7000-8000-000000000000' };
const UNSUPPORTED_TYPE = 'application/vnd.accord-unread';

/** The rank of a failure by its status, and the stage that decides an application's failure. */
const RANKS: Record<number, Pick<Fault, 'rank' | 'stage'>> = {
  400: { rank: 1, stage: 'structure' },
  406: { rank: 1, stage: 'media-types' },
  413: { rank: 1, stage: 'body' },
  415: { rank: 1, stage: 'media-types' },
  401: { rank: 2, stage: 'access' },
  403: { rank: 3, stage: 'access' },
  404: { rank: 4, stage: 'existence' },
  410: { rank: 4, stage: 'existence' },
  412: { rank: 5, stage: 'state' },
  422: { rank: 7, stage: 'content' },
};
const DEFAULT_RANK = { rank: 6, stage: 'state' };

const declares = ({ operation }: RestOperation, status: number): boolean => Object.hasOwn(operation.responses, status);

/** Returns the last parameter of the path, which names the resource. */
const resourceId = ({ path }: Pick<RestOperation, 'path'>): string | undefined => parameterNames(path).at(-1);
const idSchema = ({ operation, path }: RestOperation): Schema =>
  operation.parameters.find((given) => given.in === 'path' && given.name === resourceId({ path }))?.schema ?? {};

/** Returns a value of the type of a schema that breaks its enumeration or its first bound; undefined if it has none. */
function brokenValue(schema: Schema): unknown {
  if (schema.enum) return schema.type === 'string' ? UNKNOWN : undefined;
  const [bound] = boundsIn(schema);
  return bound && boundaryValue(bound, 'beyond', { schema });
}

/** Returns a body with one invalid value; undefined if the schema constrains none. */
function brokenBody(operation: RestOperation, valid: Draft['body']): unknown {
  const schema = mergeSchema(bodyForms(operation)[0]?.schema ?? {});
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const value = typeof member === 'boolean' ? undefined : brokenValue(mergeSchema(member, schema));
    if (value !== undefined) return { ...valid, [name]: value };
  }
  return brokenValue(schema);
}

const queryParameters = ({ operation }: RestOperation): Parameter[] =>
  operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'version');

/** Returns a query parameter and an invalid value of its type. Only `limit` is changed where it exists: it excludes others. */
function brokenParameter(operation: RestOperation): Record<string, unknown> | undefined {
  const all = queryParameters(operation);
  const limit = all.filter(({ name }) => name === 'limit');
  for (const parameter of limit.length > 0 ? limit : all) {
    const types = scalarsIn(parameterForm(parameter));
    const schema = mergeSchema(schemaOf(parameter));
    const item = typeof schema.items === 'object' ? mergeSchema(schema.items, schema) : schema;
    if (types.join() !== 'integer' && !(item.enum && types.includes('string'))) continue;
    const value = brokenValue({ ...item, type: types.includes('string') ? 'string' : 'integer' });
    if (value !== undefined) return { [parameter.name]: value };
  }
  return undefined;
}

/** Returns a person whose role must not access the resource of another account, or any resource. */
function unauthorizedPerson({ operation, options, service }: Target): Person | undefined {
  const { permission } = operation;
  if (permission === 'public') return undefined;
  const roleWith = (reach: string) => rolesIn(service).find((role) => permission[role.toLowerCase()] === reach);
  const role = (isOwned(options, operation) ? roleWith('own') : undefined) ?? roleWith('none');
  return Object.values(service.people).find((person) => person.role === role);
}

/** Returns true if the path names the owner or no resource. Otherwise the service must load the resource before it can answer 403. */
const isOwnerKnown = (operation: RestOperation, { accounts = [] }: ConformanceOptions): boolean =>
  resourceId(operation) === undefined || parameterNames(operation.path).some((name) => accounts.includes(name));

/** Returns the parameter of a deleted resource: the account in the path, because deleted resources have no owner. */
const deletedIn = ({ path }: RestOperation, { accounts = [], deleted = {} }: ConformanceOptions) => {
  const names = parameterNames(path).filter((name) => name in deleted);
  return names.find((name) => accounts.includes(name)) ?? names.at(-1);
};

const set = (part: Partial<Draft>) => (draft: Draft) => void Object.assign(draft, part);
const setIn = (place: 'path' | 'query' | 'headers', values: object) => (draft: Draft) =>
  void Object.assign(draft[place], values);
const setBody = (body: unknown, type: string) => (draft: Draft) =>
  void Object.assign(draft, { body, headers: { ...draft.headers, 'content-type': type } });
const ifParameter =
  (name: string, ...change: Parameters<typeof setIn>) =>
  ({ operation }: Target) =>
    operation.operation.parameters.some((parameter) => parameter.name === name) && setIn(...change);

const fault = (status: number, stage: string, name: string, changeFor: Fault['changeFor']): Fault => ({
  ...{ name, status, ...(RANKS[status] ?? DEFAULT_RANK), stage, changeFor },
});

const FAULTS: readonly Fault[] = [
  fault(400, 'body', 'a body that is not JSON', ({ operation }) => {
    return bodyForms(operation).some(({ kind }) => kind === 'json') && setBody('{"', 'application/json');
  }),
  fault(400, 'parameters', 'an unknown query parameter', () => setIn('query', { [UNKNOWN]: 'red' })),
  fault(400, 'parameters', 'a parameter of another type', ({ operation }) => {
    const typed = queryParameters(operation).find((parameter) => {
      const types = scalarsIn(parameterForm(parameter));
      return types.length > 0 && !types.includes('string');
    });
    return typed && setIn('query', { [typed.name]: UNKNOWN });
  }),
  fault(400, 'parameters', 'a malformed id', ({ operation }) => {
    return idSchema(operation).type === 'integer' && setIn('path', { [String(resourceId(operation))]: 'x' });
  }),
  fault(400, 'served-version', 'two versions that disagree', ifParameter('version', 'query', { version: '999' })),
  fault(406, 'media-types', 'an unavailable media type', ({ operation }) => {
    const [success] = Object.values(operation.operation.responses);
    return declares(operation, 406) && success?.content !== undefined && setIn('headers', { accept: 'image/png' });
  }),
  fault(415, 'media-types', 'an unsupported media type', ({ operation }) => {
    return declares(operation, 415) && !bodyFormFor(operation)(UNSUPPORTED_TYPE) && setBody('text', UNSUPPORTED_TYPE);
  }),
  fault(413, 'body', 'a body that is too large', ({ operation, service }) => {
    const text = 'x'.repeat((service.app.initialConfig.bodyLimit ?? 0) + 1);
    const [first] = bodyForms(operation);
    return first && declares(operation, 413) && set({ body: first.kind === 'json' ? { [UNKNOWN]: text } : text });
  }),
  fault(401, 'authentication', 'no credentials', ({ operation }) => {
    return operation.permission !== 'public' && set({ as: undefined });
  }),
  fault(401, 'authentication', 'a malformed credential', ({ operation }) => {
    return operation.permission !== 'public' && set({ as: { headers: { authorization: 'Bearer a.b.c' } } });
  }),
  fault(403, 'access', 'a caller without permission', (target) => {
    const as = unauthorizedPerson(target);
    return as && set({ as });
  }),
  fault(404, 'existence', 'a resource that never existed', ({ operation }) => {
    const { type, ...schema } = idSchema(operation);
    const id = ABSENT_IDS[String(type)] ?? ABSENT_IDS[String(schema['format'])] ?? 'absent';
    const parameter = resourceId(operation);
    return parameter !== undefined && setIn('path', { [parameter]: id });
  }),
  fault(410, 'existence', 'a deleted resource', ({ operation, options, service }) => {
    const name = deletedIn(operation, options);
    if (name === undefined || !declares(operation, 410)) return undefined;
    return async (draft) => {
      draft.path[name] = String(await options.deleted?.[name]?.(service));
    };
  }),
  fault(412, 'state', 'a stale entity tag', ifParameter('If-Match', 'headers', { 'if-match': '"stale"' })),
  fault(422, 'content', 'an unknown member', ({ operation }) => {
    const [first] = bodyForms(operation);
    const isClosed = first?.kind === 'json' && mergeSchema(first.schema ?? {}).additionalProperties === false;
    return isClosed && ((draft) => set({ body: { ...draft.body, [UNKNOWN]: 'red' } })(draft));
  }),
  fault(422, 'content', 'an invalid value in the body', ({ operation }) => {
    // The service checks the credentials of a login before their form.
    const isBreakable = !operation.credentialsInBody && brokenBody(operation, {}) !== undefined;
    return isBreakable && ((draft) => set({ body: brokenBody(operation, draft.body) })(draft));
  }),
  fault(422, 'content', 'an invalid parameter', ({ operation }) => {
    const broken = brokenParameter(operation);
    return broken && setIn('query', broken);
  }),
  fault(
    422,
    'content',
    'an invalid idempotency key',
    ifParameter('Idempotency-Key', 'headers', { 'idempotency-key': 'two words' }),
  ),
];

/** Lists all faults in the order of failures. */
export function faultsOf(options: ConformanceOptions): Fault[] {
  const own = (options.faults ?? []).map(({ name, status, operations, apply }): Fault => {
    const covers =
      typeof operations === 'function' ? operations : ({ operationId: id }: RestOperation) => operations.includes(id);
    const changeFor = ({ operation }: Target) => (covers(operation) ? apply : undefined);
    return { name, status, ...(RANKS[status] ?? DEFAULT_RANK), isByHandler: true, changeFor };
  });
  return [...FAULTS, ...own].sort((a, b) => a.rank - b.rank);
}

/** Returns true for a declared failure that no single request can cause in any application. */
const isUntestable = (operation: RestOperation, status: number, options: ConformanceOptions, service: TestService) =>
  // A slow client.
  status === 408 ||
  // An unknown version in the subdomain: see "every operation".
  (status === 404 && resourceId(operation) === undefined) ||
  // Plain HTTP in production, and cookies from a foreign origin.
  (status === 403 && unauthorizedPerson({ operation, options, service }) === undefined) ||
  // Two concurrent requests with one idempotency key.
  (status === 409 && operation.operation.parameters.some(({ name }) => name === 'Idempotency-Key')) ||
  // An answer that is too large.
  (status === 413 && bodyForms(operation).length === 0) ||
  // An answer without a body, whose media type is not negotiated.
  status === 406 ||
  // The metrics have a token of their own.
  operation.security.some((alternative) => 'metricsToken' in alternative);

const stageIndex = ({ stage }: Fault) => rows.findIndex(({ name }) => name === stage);

/** Limits that the first request of a caller exhausts. Each request is therefore 429, unless an earlier failure decides. */
const EXHAUSTED = { RATE_LIMIT: '1', RATE_LIMIT_ANONYMOUS: '1', RATE_CEILING: '1000000' };

const settings = (_: unknown, { environment }: ConformanceOptions) => {
  // The rate window never ends.
  const now = Date.now();
  return { environment: { ...environment, ...EXHAUSTED }, now: () => now };
};

/**
 * Tests that each operation answers each fault as declared, and two faults by the first in the order of failures. Each
 * declared failure needs a fault that causes it.
 */
export const failureOrder = suite(async (t, service, options) => {
  for (const as of [undefined, ...Object.values(service.people)]) await service.rest('GET', '/nowhere', { as });
  for (const operation of testedOperations(service, options)) {
    const { operationId, method, path } = operation;
    await t.test(`${operationId} (${method} ${path})`, (t) => failuresOf(t, service, options, operation));
  }
}, settings);

async function failuresOf(t: TestRunner, service: TestService, options: ConformanceOptions, operation: RestOperation) {
  const declared = Object.keys(operation.operation.responses).map(Number);
  const isWritten = !service.app.notWritten.includes(operation.operationId);
  const faults = faultsOf(options).flatMap((fault) => {
    const change = fault.changeFor({ operation, options, service });
    // An operation that is not implemented rejects what the stages before its handler decide.
    return change && (isWritten || (fault.rank <= 2 && !fault.isByHandler)) ? [{ ...fault, change }] : [];
  });

  const statusWith = async (wrong: typeof faults): Promise<number> => {
    const { draft, context } = await soundRequest(service, options, operation);
    // The earlier fault replaces the later one if both change the same part.
    for (const { change } of wrong.toReversed()) await change(draft, context);
    return (await sendDraft(service, operation, draft)).status;
  };

  for (const status of declared.filter((status) => status >= 400 && status < 429 && isWritten)) {
    const isCovered =
      faults.some((fault) => fault.status === status) ||
      isUntestable(operation, status, options, service) ||
      options.elsewhere?.(operation, status) === true;
    const advice = 'add one to `faults`, or name another test by `elsewhere`';
    t.ok(isCovered, `no fault causes the declared ${status}: ${advice}`);
  }
  if (isWritten && declared.includes(429)) t.equal(await statusWith([]), 429, 'a sound request');
  for (const fault of faults) t.equal(await statusWith([fault]), fault.status, fault.name);
  const ranks = [...new Set(faults.map(({ rank }) => rank))].sort((a, b) => a - b);
  for (const first of faults) {
    const nextRank = ranks[ranks.indexOf(first.rank) + 1];
    const isLater = (fault: Fault) =>
      fault.rank === nextRank || (fault.rank === first.rank && stageIndex(fault) > stageIndex(first));
    for (const second of faults.filter(isLater)) {
      // A missing resource is 404 for everybody who is authenticated (docs/decisions.md, "Failures").
      const mustLoad = first.status === 403 && second.rank === 4 && !isOwnerKnown(operation, options);
      const expected = mustLoad ? second.status : first.status;
      t.equal(await statusWith([first, second]), expected, `${first.name} and ${second.name}`);
    }
  }
}
