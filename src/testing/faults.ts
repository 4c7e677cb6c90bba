import { rolesOf } from '@accord-api/platform/internals/calls/access';
import type { Parameter, Schema } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { parameterForm, schemaOf } from '@accord-api/platform/internals/contract/parameter-form';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import { bodyFormFor, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import type { Asked, ConformanceOptions, Draft } from './conformance-options.js';
import type { Person } from './people.js';
import type { TestService } from './service.js';
import { isOwned, parametersIn } from './sound-request.js';

/** One way in which a request can be wrong. */
export interface Fault {
  name: string;
  status: number;
  /** Its place in the order of failures (docs/decisions.md, "Failures"). */
  rank: number;
  /** The stage of the pipeline that refuses it. */
  stage: string;
  /** Decided by the handler, so that an operation that is not written yet does not refuse it. */
  byHandler?: boolean;
  /** Whether a request to this operation can be wrong in this way. */
  fits: (operation: Operation, options: ConformanceOptions, service: TestService) => boolean;
  apply: (draft: Draft, about: Asked, operation: Operation, options: ConformanceOptions) => void | Promise<void>;
}

/** Nothing in a contract has this name. */
const UNKNOWN = 'accord_unknown';
const ABSENT = { integer: '999999', uuid: '019a0000-0000-7000-8000-000000000000', string: 'absent' };
const UNREAD = 'application/vnd.accord-unread';

/** The rank of a failure, and the stage that decides it where an application does, by its status. */
const PLACES: Record<number, Pick<Fault, 'rank' | 'stage'>> = {
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
const STATE = { rank: 6, stage: 'state' };

const hasParameter =
  (name: string) =>
  ({ operation }: Operation): boolean =>
    operation.parameters.some((one) => one.name === name);
const declares =
  (status: number) =>
  ({ operation }: Operation): boolean =>
    Object.hasOwn(operation.responses, status);
const isProtected = ({ permission }: Operation): boolean => permission !== 'public';

/** The last parameter of the path: what the operation is about. */
export const subjectOf = ({ path }: Pick<Operation, 'path'>): string | undefined => parametersIn(path).at(-1);
const idSchema = (operation: Operation): Schema =>
  operation.operation.parameters.find((one) => one.in === 'path' && one.name === subjectOf(operation))?.schema ?? {};

/** The schema of the body that is sent: the first that the contract has. */
const bodySchema = (operation: Operation): Schema => laidOpen(bodyForms(operation)[0]?.schema ?? {});
const isJson = (operation: Operation): boolean => bodyForms(operation)[0]?.kind === 'json';

/** Makes a value of the type of a schema that the schema refuses; undefined if it refuses none that is known here. */
function refusedValue({ type, enum: values, minLength, minimum, maxLength }: Schema): unknown {
  if (type === 'integer') return minimum === undefined ? undefined : Number(minimum) - 1;
  if (type !== 'string') return undefined;
  if (values) return UNKNOWN;
  if (Number(minLength) > 0) return '';
  return maxLength === undefined ? undefined : 'x'.repeat(Number(maxLength) + 1);
}

/** Makes a body of which the schema refuses a value; undefined if no value can be wrong so. */
function refusedBody(operation: Operation, sound: Draft['body']): unknown {
  const schema = bodySchema(operation);
  const members = Object.entries(schema.properties ?? {}).map(([name, one]): [string, unknown] => [
    name,
    typeof one === 'boolean' ? undefined : refusedValue(one),
  ]);
  const member = members.find(([, value]) => value !== undefined);
  return member ? { ...sound, [member[0]]: member[1] } : refusedValue(schema);
}

const queryOf = ({ operation }: Operation): Parameter[] =>
  operation.parameters.filter((one) => one.in === 'query' && one.name !== 'version');

/** Finds a parameter of the query that not every text can be read as. */
const typedParameter = (operation: Operation): Parameter | undefined =>
  queryOf(operation).find((one) => {
    const form = parameterForm(one);
    const types = form.kind === 'scalar' ? form.types : form.kind === 'list' ? form.items : ['string'];
    return !types.includes('string');
  });

/** Finds a parameter of the query, and a value of its type that its schema refuses. `limit` has a fault of its own. */
function refusedParameter(operation: Operation): [name: string, value: unknown] | undefined {
  const wrong = queryOf(operation).map((one): [string, unknown] => {
    const form = parameterForm(one);
    const whole = laidOpen(schemaOf(one));
    const isList = form.kind === 'list' && typeof whole.items === 'object';
    const types = form.kind === 'scalar' ? form.types : isList ? form.items : [];
    const { enum: values, minimum } = isList ? laidOpen(whole.items as Schema, whole) : whole;
    const type = types.join() === 'integer' ? 'integer' : values && types.includes('string') ? 'string' : undefined;
    return [one.name, refusedValue({ type, enum: values, minimum } as Schema)];
  });
  return wrong.find(([name, value]) => name !== 'limit' && value !== undefined);
}

/** Finds somebody whose role may not do it: to what belongs to somebody else, where that can be, or else to anything. */
export function strangerTo(
  operation: Operation,
  options: ConformanceOptions,
  service: TestService,
): Person | undefined {
  const { permission } = operation;
  if (permission === 'public') return undefined;
  const reach = (role: string) => permission[role.toLowerCase()];
  const roles = [...rolesOf(service.application.policy)];
  const refused = isOwned(options, operation) ? ['own', 'none'] : ['none'];
  const role = refused.map((one) => roles.find((some) => reach(some) === one)).find((some) => some !== undefined);
  return Object.values(service.people).find((person) => person.role === role);
}

/** Whether the path names the owner, or there is none; otherwise the target must be loaded before the caller can be refused. */
export const ownerIsKnown = (operation: Operation, { accounts = [] }: ConformanceOptions): boolean =>
  subjectOf(operation) === undefined || parametersIn(operation.path).some((name) => accounts.includes(name));

/** The parameter that names what was deleted. The owner of a deleted thing is not kept, so under an account it is the account. */
const deletedIn = ({ path }: Operation, { accounts = [], deleted = {} }: ConformanceOptions): string | undefined => {
  const names = parametersIn(path).filter((name) => name in deleted);
  return names.find((name) => accounts.includes(name)) ?? names.at(-1);
};

type Row = [name: string, stage: string, fits: Fault['fits'], apply: Fault['apply']];
const faults = (status: number, ...rows: Row[]): Fault[] =>
  rows.map(([name, stage, fits, apply]) => ({ name, status, ...(PLACES[status] ?? STATE), stage, fits, apply }));

const withBody =
  (body: unknown, type: string): Fault['apply'] =>
  (draft) =>
    void Object.assign(draft, { body, headers: { ...draft.headers, 'content-type': type } });
const withHeader =
  (name: string, value: string): Fault['apply'] =>
  ({ headers }) =>
    void Object.assign(headers, { [name]: value });
const withQuery =
  (of: (operation: Operation) => readonly [name: string, value: unknown]): Fault['apply'] =>
  ({ query }, _, operation) =>
    void Object.assign(query, Object.fromEntries([of(operation)]));
const withSubject =
  (of: (schema: Schema) => string): Fault['apply'] =>
  ({ path }, _, operation) =>
    void Object.assign(path, { [subjectOf(operation) as string]: of(idSchema(operation)) });

/** The faults that follow from the contract, in the order of failures. */
const FAULTS: readonly Fault[] = [
  ...faults(
    400,
    [
      'a body that is no JSON',
      'body',
      (operation) => bodyForms(operation).some(({ kind }) => kind === 'json'),
      withBody('{"', 'application/json'),
    ],
    ['an unknown query parameter', 'parameters', () => true, withQuery(() => [UNKNOWN, 'red'])],
    [
      'a parameter of another type',
      'parameters',
      (operation) => typedParameter(operation) !== undefined,
      withQuery((operation) => [typedParameter(operation)?.name as string, UNKNOWN]),
    ],
    ['an id that is none', 'parameters', (operation) => idSchema(operation).type === 'integer', withSubject(() => 'x')],
    [
      'two selectors of versions that disagree',
      'served-version',
      hasParameter('version'),
      withQuery(() => ['version', '999']),
    ],
  ),
  ...faults(406, [
    'an answer that cannot be had',
    'media-types',
    (operation) => declares(406)(operation) && Object.values(operation.operation.responses)[0]?.content !== undefined,
    withHeader('accept', 'image/png'),
  ]),
  ...faults(415, [
    'a media type that is not read',
    'media-types',
    (operation) => declares(415)(operation) && !bodyFormFor(operation)(UNREAD),
    withBody('text', UNREAD),
  ]),
  ...faults(413, [
    'a body that is too large',
    'body',
    declares(413),
    (draft, { service }, operation) => {
      const text = 'x'.repeat((service.app.initialConfig.bodyLimit ?? 0) + 1);
      draft.body = isJson(operation) || bodyForms(operation).length === 0 ? { [UNKNOWN]: text } : text;
    },
  ]),
  ...faults(
    401,
    ['no credentials', 'authentication', isProtected, (draft) => void Object.assign(draft, { as: undefined })],
    [
      'a bad credential',
      'authentication',
      isProtected,
      (draft) => {
        draft.as = undefined;
        draft.headers['authorization'] = 'Bearer a.b.c';
      },
    ],
  ),
  ...faults(403, [
    'a caller who may not',
    'access',
    (...given) => strangerTo(...given) !== undefined,
    (draft, { service }, operation, options) =>
      void Object.assign(draft, { as: strangerTo(operation, options, service) }),
  ]),
  ...faults(404, [
    'something that never was',
    'existence',
    (operation) => subjectOf(operation) !== undefined,
    withSubject(({ type, ...schema }) =>
      type === 'integer' ? ABSENT.integer : schema['format'] === 'uuid' ? ABSENT.uuid : ABSENT.string,
    ),
  ]),
  ...faults(410, [
    'something that was deleted',
    'existence',
    (operation, options) => declares(410)(operation) && deletedIn(operation, options) !== undefined,
    async (draft, { service }, operation, options) => {
      const name = deletedIn(operation, options) as string;
      draft.path[name] = String(await options.deleted?.[name]?.(service));
    },
  ]),
  ...faults(412, ['a state that has moved on', 'state', hasParameter('If-Match'), withHeader('if-match', '"stale"')]),
  ...faults(
    422,
    [
      'a member that is unknown',
      'content',
      (operation) => isJson(operation) && bodySchema(operation).additionalProperties === false,
      (draft) => void Object.assign(draft, { body: { ...draft.body, [UNKNOWN]: 'red' } }),
    ],
    [
      'a value that breaks a constraint',
      'content',
      // The credentials of a login are checked before their form.
      (operation) => !operation.credentialsInBody && refusedBody(operation, {}) !== undefined,
      (draft, _, operation) => void Object.assign(draft, { body: refusedBody(operation, draft.body) }),
    ],
    ['a limit out of range', 'content', hasParameter('limit'), withQuery(() => ['limit', '0'])],
    [
      'a parameter that breaks a constraint',
      'content',
      // Parameters of two ways to page a list are not mixed.
      (operation) => refusedParameter(operation) !== undefined && !hasParameter('limit')(operation),
      withQuery((operation) => refusedParameter(operation) as [string, unknown]),
    ],
    [
      'an idempotency key of another form',
      'content',
      hasParameter('Idempotency-Key'),
      withHeader('idempotency-key', 'two words'),
    ],
  ),
];

/** Lists all faults, those of the application among them, in the order of failures. */
export function faultsOf(options: ConformanceOptions): Fault[] {
  const own = (options.faults ?? []).map(
    ({ name, status, operations, apply }): Fault => ({
      ...{ name, status, ...(PLACES[status] ?? STATE), byHandler: true },
      fits: (operation) =>
        typeof operations === 'function' ? operations(operation) : operations.includes(operation.operationId),
      apply: (draft, about) => apply(draft, about),
    }),
  );
  return [...FAULTS, ...own].sort((one, other) => one.rank - other.rank);
}
