import type { Application } from '@accord-api/platform/internals/core/application';
import type { RestOperation } from '@accord-api/platform/internals/core/contract/openapi';
import { platformOperations } from '@accord-api/platform/internals/core/contract/part-operations';
import type { Account, Json, Person, RawRequest } from './client.js';
import { type Contract, matrixOf, parameterNames, rootFields } from './contract.js';
import { PASSWORD, sessionOf, type TestService, type TestServiceOptions, testService } from './service.js';

/** The functions of a test runner that the suites call. The `t` of tap implements it. */
export interface TestRunner {
  /** Runs a test or a group of tests; the next one starts when it has ended. */
  test: (name: string, run: (t: TestRunner) => Promise<void>) => unknown;
  equal: (found: unknown, wanted: unknown, message: string) => unknown;
  ok: (value: unknown, message: string) => unknown;
}

/** The circumstances of one request. */
export interface RequestContext<Own extends object = object> {
  service: TestService<Own>;
  /** Sends the request; undefined for a request without credentials. */
  caller: Account | undefined;
  /** Owns the resource that the request names. */
  owner: Account;
  /** A number that no other request has, for unique values. */
  number: number;
}

/** A request that was not sent yet. */
export interface Draft {
  /** Sends the request. */
  as: Pick<Person, 'headers'> | undefined;
  path: Record<string, string>;
  /** Texts, or values that are serialised as the contract declares. */
  query: Record<string, unknown>;
  headers: Record<string, string>;
  /** Sent as JSON, unless it is a string or bytes; undefined for no body. */
  body: Json;
}

type Id = string | number;

/** A failure that only the application can cause. It is tested alone and combined with every other failure. */
export interface ApplicationFault<Own extends object = object> {
  name: string;
  status: number;
  /** Selects operations, or lists them by operationId. */
  operations: readonly string[] | ((operation: RestOperation) => boolean);
  /** Changes a sound request, or the state of the service, so that the request fails. */
  apply: (draft: Draft, context: RequestContext<Own>) => void | Promise<void>;
}

/** Describes what a contract cannot express about its requests. @typeParam Own the application's services, by name */
export interface ConformanceOptions<Own extends object = object> extends Omit<TestServiceOptions, 'people'> {
  /** The tested operations and root fields, by operationId and as `Query.loan`. Default: all. */
  only?: readonly string[];
  /** The path parameters that contain the id of an account: `['user_id']`. */
  accounts?: readonly string[];
  /** Creates the resource of a path parameter for `owner`: `{ order_id: async ({ owner, service }) => … }`. */
  make?: Readonly<Record<string, (context: RequestContext<Own>) => Promise<Id>>>;
  /** Creates a resource that nobody but the caller can have. */
  makeOwn?: Readonly<Record<string, (context: RequestContext<Own>) => Promise<Id>>>;
  /** Returns the id of a deleted resource, for operations that declare 410. */
  deleted?: Readonly<Record<string, (service: TestService<Own>) => Promise<Id>>>;
  /**
   * Returns a sound body, by operationId, if the example of the contract is none. Receives the first example of the media type. It is
   * called for each media type of the same kind (JSON, text, bytes).
   */
  bodies?: Readonly<Record<string, (context: RequestContext<Own>, example: Json) => Json | Promise<Json>>>;
  /** Returns sound arguments of a root field about a resource of `owner`, by `Query.loan`. Default: samples of required arguments. */
  fields?: Readonly<Record<string, (context: RequestContext<Own>) => Promise<object> | object>>;
  /** Returns sound arguments of a root field whose resource nobody but the caller can have. */
  ownFields?: Readonly<Record<string, (context: RequestContext<Own>) => Promise<object> | object>>;
  /** Causes an event of a subscription, by `Subscription.loanEnded`. It is called until the event arrives. */
  events?: Readonly<Record<string, (context: RequestContext<Own>, variables: Json) => unknown>>;
  /** Makes a body or arguments meet the condition of a further permission, by its `when`. */
  conditions?: Readonly<Record<string, (values: Json, context: RequestContext<Own>) => void>>;
  faults?: readonly ApplicationFault<Own>[];
  /** Returns a value for one side of a bound, by its name in `accord coverage`, if the kit finds none: `addLoan body /code at maxLength 12`. */
  bounds?: Readonly<Record<string, (context: RequestContext<Own>) => unknown>>;
  /** Returns true for a declared failure that another test covers, because one request of one caller cannot cause it. */
  elsewhere?: (operation: RestOperation, status: number) => boolean;
  /** Returns true if a generated request may be answered with this 5xx status: a payment that the gateway rejects. */
  mayFail?: (request: RawRequest, status: number) => boolean;
  /** The number of generated requests (default 300) and the seed of the generator (default 1). */
  draws?: { runs?: number; seed?: number };
  /** Opens a database for each service. Default: one embedded database, which is emptied each time. */
  open?: () => Promise<NonNullable<TestServiceOptions['database']>>;
}

type Run = (t: TestRunner, service: TestService, options: ConformanceOptions) => Promise<void>;

/** A group of tests of one application. @param options what the contracts cannot express about the requests */
export type Suite = <Own extends object>(
  t: TestRunner,
  application: Application<Own>,
  options?: ConformanceOptions<Own>,
) => Promise<void>;

/** Returns a suite that runs on a service of its own. Violations of the contract and unknown names in the options fail it. */
export const suite =
  (run: Run, settings = (_: Application, _options: ConformanceOptions): TestServiceOptions => ({})): Suite =>
  async (t, application, given) => {
    // The suites need not know the services of the application.
    const [served, options] = [application, given ?? {}] as unknown as [Application, ConformanceOptions];
    const { open, ...ofService } = options;
    const own = settings(served, options);
    const opened = own.database ? undefined : await open?.();
    const onBreach = (breach: string) => t.ok(false, breach);
    const database = opened && { database: opened };
    const service = await testService(served, { onBreach, ...ofService, ...database, ...own });
    for (const message of unknownNames(service.contract, options)) t.ok(false, message);
    try {
      await run(t, service, withPlatformRequests(service, options));
    } finally {
      await service.close();
      await opened?.close();
    }
  };

/** Returns the names in the options that the contracts do not have: their tests would silently not run. */
function unknownNames(contract: Contract, options: ConformanceOptions): string[] {
  const { only, accounts = [], make, makeOwn, deleted, bodies, events, conditions, faults = [] } = options;
  const { rest, graphql } = matrixOf(contract);
  const operations = contract.operations.map(({ operationId }) => operationId);
  const fields = rootFields(contract.schema).map(([name]) => name);
  const parameters = contract.operations.flatMap(({ path }) => parameterNames(path));
  const ofFaults = faults.flatMap((fault) => (typeof fault.operations === 'function' ? [] : fault.operations));
  const names = (given: object = {}) => Object.keys(given);
  const checked: [option: string, names: readonly string[], known: readonly unknown[]][] = [
    ['only', only ?? [], [...operations, ...fields]],
    ['accounts', accounts, parameters],
    ['make', names(make), parameters],
    ['makeOwn', names(makeOwn), parameters],
    ['deleted', names(deleted), parameters],
    ['bodies', names(bodies), operations],
    ['fields', names({ ...options.fields, ...options.ownFields }), fields],
    ['events', names(events), fields],
    ['conditions', names(conditions), [...rest, ...graphql].map(({ when }) => when)],
    ['faults', ofFaults, operations],
  ];
  const unknown = checked.flatMap(([option, found, known]) =>
    found.filter((name) => !known.includes(name)).map((name) => `${option}: the contracts have no ${name}`),
  );
  return only?.length === 0 ? [...unknown, 'only: the list is empty, so that no test would run'] : unknown;
}

const logIn = ({ owner, service: { app } }: RequestContext) => sessionOf(app, owner, 'jwt');
const refreshToken = async (context: RequestContext) => ({ refresh_token: (await logIn(context)).refreshToken });
const sessionId = async (context: RequestContext) => (await logIn(context)).sessionId;

const BODIES: NonNullable<ConformanceOptions['bodies']> = {
  login: ({ owner }) => ({ email: owner.email, password: PASSWORD }),
  refreshSession: refreshToken,
  logout: refreshToken,
  changePassword: (_context, example) => ({ ...example, current_password: PASSWORD }),
};

const fault = (operation: string, name: string, apply: ApplicationFault['apply']) => ({
  ...{ name, apply, status: 401, operations: [operation] },
});
const FAULTS = [
  fault('login', 'a wrong password', ({ body }) => Object.assign(body, { password: 'not this one' })),
  fault('refreshSession', 'an unknown refresh token', (draft) => {
    draft.body = { ...draft.body, refresh_token: 'nobody' };
  }),
  fault('logout', 'an invalid credential without a refresh token', (draft) => {
    draft.headers['authorization'] = 'Bearer a.b.c';
    draft.body = undefined;
  }),
];

/** Completes options with the requests of the operations that the platform answers. Its own tests cover more of their failures. */
function withPlatformRequests({ contract, application }: TestService, options: ConformanceOptions): ConformanceOptions {
  const own = new Set(Object.values(application.handlers).flatMap((handlers) => Object.keys(handlers)));
  const answered = new Set([...platformOperations(contract.document)].filter((name) => !own.has(name)));
  const bodies = Object.entries(BODIES).filter(([name]) => answered.has(name));
  return {
    ...options,
    makeOwn: { ...(answered.has('revokeSession') && { session_id: sessionId }), ...options.makeOwn },
    bodies: { ...Object.fromEntries(bodies), ...options.bodies },
    faults: [...FAULTS.filter(({ operations: [name = ''] }) => answered.has(name)), ...(options.faults ?? [])],
    elsewhere: (operation, status) =>
      (answered.has(operation.operationId) && (status === 403 || !operation.counted)) ||
      // A caller whose account was deleted.
      (status === 410 && parameterNames(operation.path).length === 0) ||
      options.elsewhere?.(operation, status) === true,
  };
}
