import { rolesOf } from '@accord-api/platform/internals/calls/access';
import type { Schema } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { bodyFormFor, bodyForms } from '@accord-api/platform/internals/rest/request-body';
import type { Asked, ConformanceOptions, Draft } from './conformance-options.js';
import type { Person } from './people.js';
import { bodySchema, bounded, constrained, tooLong, typed, UNKNOWN } from './refused-values.js';
import type { TestService } from './service.js';
import { isOwned, parametersIn } from './sound-request.js';

/** One way of being wrong. */
export interface Fault {
  name: string;
  status: number;
  /** Its place in the order of failures (docs/decisions.md, "Failures"). */
  rank: number;
  /** That of the pipeline which tells it. */
  stage: string;
  /** Decided by the handler, so that an operation that is not written yet does not tell it. */
  byHandler?: boolean;
  /** Whether a request to this operation can be wrong in this way. */
  fits: (operation: Operation, options: ConformanceOptions, service: TestService) => boolean;
  apply: (draft: Draft, about: Asked, operation: Operation, options: ConformanceOptions) => void | Promise<void>;
}

const ABSENT = { integer: '999999', uuid: '019a0000-0000-7000-8000-000000000000', string: 'absent' };
const JSON_TYPE = { 'content-type': 'application/json' };

const UNREAD = 'application/vnd.accord-unread';

const readsJson = (operation: Operation) => bodyForms(operation).some(({ kind }) => kind === 'json');
const hasParameter =
  (name: string) =>
  ({ operation }: Operation) =>
    operation.parameters.some((one) => one.name === name);
const declares =
  (status: number) =>
  ({ operation }: Operation) =>
    Object.hasOwn(operation.responses, status);
/** The last parameter of the path: what the operation is about. */
export const subjectOf = ({ path }: Pick<Operation, 'path'>): string | undefined => parametersIn(path).at(-1);
const idSchema = ({ operation }: Operation, name: string | undefined): Schema =>
  operation.parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
const isJson = (operation: Operation) => bodyForms(operation)[0]?.kind === 'json';
const absent = (schema: Schema) =>
  schema.type === 'integer' ? ABSENT.integer : schema['format'] === 'uuid' ? ABSENT.uuid : ABSENT.string;

/** Somebody of the roles that may not do it: to what belongs to somebody else, where that can be, or else to anything. */
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

/** Whose it is stands in the path, or it is nobody's; otherwise it must be loaded before the caller can be refused. */
export const ownerIsKnown = (operation: Operation, { accounts = [] }: ConformanceOptions): boolean =>
  subjectOf(operation) === undefined || parametersIn(operation.path).some((name) => accounts.includes(name));

/** The ways of being wrong that follow from the contract, in the order of failures. */
const FAULTS: readonly Fault[] = [
  {
    name: 'a body that is no JSON',
    status: 400,
    rank: 1,
    stage: 'body',
    fits: readsJson,
    apply: (draft) => void Object.assign(draft, { body: '{"', headers: { ...draft.headers, ...JSON_TYPE } }),
  },
  {
    name: 'an unknown query parameter',
    status: 400,
    rank: 1,
    stage: 'parameters',
    fits: () => true,
    apply: (draft) => {
      draft.query[UNKNOWN] = 'red';
    },
  },
  {
    name: 'a parameter of another type',
    status: 400,
    rank: 1,
    stage: 'parameters',
    fits: (operation) => typed(operation) !== undefined,
    apply: (draft, _, operation) => {
      draft.query[typed(operation)?.name as string] = UNKNOWN;
    },
  },
  {
    name: 'an id that is none',
    status: 400,
    rank: 1,
    stage: 'parameters',
    fits: (operation) => idSchema(operation, subjectOf(operation)).type === 'integer',
    apply: (draft, _, operation) => {
      draft.path[subjectOf(operation) as string] = 'x';
    },
  },
  {
    name: 'two selectors of versions that disagree',
    status: 400,
    rank: 1,
    stage: 'served-version',
    fits: hasParameter('version'),
    apply: (draft) => {
      draft.query['version'] = '999';
    },
  },
  {
    name: 'an answer that cannot be had',
    status: 406,
    rank: 1,
    stage: 'media-types',
    fits: (operation) =>
      declares(406)(operation) && Object.values(operation.operation.responses)[0]?.content !== undefined,
    apply: (draft) => {
      draft.headers['accept'] = 'image/png';
    },
  },
  {
    name: 'a media type that is not read',
    status: 415,
    rank: 1,
    stage: 'media-types',
    fits: (operation) => declares(415)(operation) && !bodyFormFor(operation)(UNREAD),
    apply: (draft) =>
      void Object.assign(draft, { body: 'text', headers: { ...draft.headers, 'content-type': UNREAD } }),
  },
  {
    name: 'a body that is too large',
    status: 413,
    rank: 1,
    stage: 'body',
    fits: declares(413),
    apply: (draft, { service }, operation) => {
      const text = 'x'.repeat((service.app.initialConfig.bodyLimit ?? 0) + 1);
      draft.body = isJson(operation) || bodyForms(operation).length === 0 ? { [UNKNOWN]: text } : text;
    },
  },
  {
    name: 'no credentials',
    status: 401,
    rank: 2,
    stage: 'authentication',
    fits: ({ permission }) => permission !== 'public',
    apply: (draft) => {
      draft.as = undefined;
    },
  },
  {
    name: 'a bad credential',
    status: 401,
    rank: 2,
    stage: 'authentication',
    fits: ({ permission }) => permission !== 'public',
    apply: (draft) => {
      draft.as = undefined;
      draft.headers['authorization'] = 'Bearer a.b.c';
    },
  },
  {
    name: 'a caller who may not',
    status: 403,
    rank: 3,
    stage: 'access',
    fits: (operation, options, service) => strangerTo(operation, options, service) !== undefined,
    apply: (draft, { service }, operation, options) => {
      draft.as = strangerTo(operation, options, service);
    },
  },
  {
    name: 'something that never was',
    status: 404,
    rank: 4,
    stage: 'existence',
    fits: (operation) => subjectOf(operation) !== undefined,
    apply: (draft, _, operation) => {
      const name = subjectOf(operation) as string;
      draft.path[name] = absent(idSchema(operation, name));
    },
  },
  {
    name: 'something that was deleted',
    status: 410,
    rank: 4,
    stage: 'existence',
    fits: (operation, options) => declares(410)(operation) && goneIn(operation, options) !== undefined,
    apply: async (draft, { service }, operation, options) => {
      const name = goneIn(operation, options) as string;
      draft.path[name] = String(await options.deleted?.[name]?.(service));
    },
  },
  {
    name: 'a state that has moved on',
    status: 412,
    rank: 5,
    stage: 'state',
    fits: hasParameter('If-Match'),
    apply: (draft) => {
      draft.headers['if-match'] = '"stale"';
    },
  },
  {
    name: 'a member that is unknown',
    status: 422,
    rank: 7,
    stage: 'content',
    fits: (operation) => isJson(operation) && bodySchema(operation).additionalProperties === false,
    apply: (draft) => {
      draft.body = { ...draft.body, [UNKNOWN]: 'red' };
    },
  },
  {
    name: 'a value that breaks a constraint',
    status: 422,
    rank: 7,
    stage: 'content',
    // What a login is decided by is looked at before its form.
    fits: (operation) => !operation.credentialsInBody && (constrained(operation) ?? tooLong(operation)) !== undefined,
    apply: (draft, _, operation) => {
      const [name, value] = constrained(operation) ?? [];
      draft.body = name === undefined ? tooLong(operation) : { ...draft.body, [name]: value };
    },
  },
  {
    name: 'a limit out of range',
    status: 422,
    rank: 7,
    stage: 'content',
    fits: hasParameter('limit'),
    apply: (draft) => {
      draft.query['limit'] = '0';
    },
  },
  {
    name: 'a parameter that breaks a constraint',
    status: 422,
    rank: 7,
    stage: 'content',
    // Of a list, how it is paged is one thing: parameters of two ways are not mixed.
    fits: (operation) => bounded(operation) !== undefined && !hasParameter('limit')(operation),
    apply: (draft, _, operation) => {
      const [name, value] = bounded(operation) as [string, unknown];
      draft.query[name] = value;
    },
  },
  {
    name: 'an idempotency key of another form',
    status: 422,
    rank: 7,
    stage: 'content',
    fits: hasParameter('Idempotency-Key'),
    apply: (draft) => {
      draft.headers['idempotency-key'] = 'two words';
    },
  },
];

/** The parameter that names what was deleted. Whose a deleted thing was is not kept, so under an account it is the account. */
const goneIn = ({ path }: Operation, { accounts = [], deleted = {} }: ConformanceOptions): string | undefined => {
  const names = parametersIn(path).filter((name) => name in deleted);
  return names.find((name) => accounts.includes(name)) ?? names.at(-1);
};

/** The rank and the stage of a failure that a service tells, by its status. */
const PLACES: Record<number, Pick<Fault, 'rank' | 'stage'>> = {
  400: { rank: 1, stage: 'structure' },
  401: { rank: 2, stage: 'access' },
  403: { rank: 3, stage: 'access' },
  404: { rank: 4, stage: 'existence' },
  410: { rank: 4, stage: 'existence' },
  412: { rank: 5, stage: 'state' },
  422: { rank: 7, stage: 'content' },
};
const STATE = { rank: 6, stage: 'state' };

/** All ways of being wrong that there are, the application's among them, each in its place. */
export function faultsOf(options: ConformanceOptions): Fault[] {
  const own = (options.faults ?? []).map(
    ({ name, status, operations, apply }): Fault => ({
      name,
      status,
      ...(PLACES[status] ?? STATE),
      byHandler: true,
      fits: (operation) =>
        typeof operations === 'function' ? operations(operation) : operations.includes(operation.operationId),
      apply: (draft, about) => apply(draft, about),
    }),
  );
  return [...FAULTS, ...own].sort((one, other) => one.rank - other.rank);
}
