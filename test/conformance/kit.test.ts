import t from 'tap';
import type { Application } from '../../src/platform/index.js';
import { contractOf } from '../../src/testing/contract.js';
import {
  type ConformanceOptions,
  conformance,
  drawnRequests,
  everyBound,
  everyOperation,
  failureOrder,
  permissions,
  type TestRunner,
  testService,
} from '../../src/testing/index.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { memoryDatabase } from '../support/databases.js';
import { type LibraryServices, library } from '../support/library/application.js';
import { contracts } from '../support/library/files.js';
import { conformance as said } from '../support/library/library.js';

t.test('an application with other roles, versions and codes conforms to its contracts', async (t) => {
  await conformance(t, library, { ...(await said()), open: () => memoryDatabase(t) });
});

/** Returns a TestRunner that records failures. */
async function toldBy(run: (cases: TestRunner) => Promise<void>): Promise<string[]> {
  const told: string[] = [];
  const under = (above: string): TestRunner => ({
    test: (name, run) =>
      run(under(`${above}${name}: `)).catch((error: Error) => told.push(`${above}${name}: ${error.message}`)),
    equal: (found, wanted, message) => found === wanted || told.push(`${above}${message}: ${found}, not ${wanted}`),
    ok: (value, message) => value || told.push(`${above}${message}`),
  });
  await run(under(''));
  return told;
}

type Suite = (t: TestRunner, served: Library, team: ConformanceOptions<LibraryServices>) => Promise<void>;
type Library = Application<LibraryServices>;
// biome-ignore lint/suspicious/noExplicitAny: the parts of a route, as a careless developer changes them
type Parts = Record<'handler' | 'reply', (...args: any[]) => any>;
/** By tag and operationId, or type and field. */
type Routes = Record<string, Record<string, Parts>>;

/** Replaces parts of a route. */
const changed = (routes: object, group: string, name: string, change: (own: Parts) => Partial<Parts>): object => {
  const own = (routes as Routes)[group]?.[name] as Parts;
  return { ...routes, [group]: { ...(routes as Routes)[group], [name]: { ...own, ...change(own) } } };
};
const withHandler = (name: string, change: (own: Parts) => Partial<Parts>, tag = 'loans'): Library => ({
  ...library,
  handlers: changed(library.handlers, tag, name, change),
});

interface Break {
  what: string;
  suite: Suite;
  broken: Library;
  /** The operation with the failure. */
  only: string;
  team?: ConformanceOptions<LibraryServices>;
  told: RegExp;
}

const everybody = { GUEST: 'any', READER: 'any', CLERK: 'any', KEEPER: 'any' };
const wide = { ...library.policy, 'loans.read': everybody, 'loans.follow': everybody } as never;
const narrow = { ...library.policy, 'loans.follow': { ...library.policy['loans.follow'], CLERK: 'none' } } as never;

const BREAKS: Break[] = [
  {
    what: 'a status that is not declared',
    suite: everyOperation,
    broken: withHandler('lend', ({ reply }) => ({ reply: (...made) => ({ ...reply(...made), status: 200 }) })),
    only: 'lend',
    // The platform rejects the response, and its own response is not declared either.
    told: /^POST \/api\/v1\/loans answered 500, which the contract does not declare$/,
  },
  {
    what: 'a member that is not declared',
    suite: everyOperation,
    broken: withHandler('getLoan', () => ({
      reply: () => ({ status: 200, body: { id: 1, book: 'A', reader: 'somebody' } }),
    })),
    only: 'getLoan',
    told: /^GET \/api\/v1\/loans\/\d+ answered 500, which the contract does not declare$/,
  },
  {
    what: 'a value of a closed list that nobody thought of',
    suite: everyOperation,
    broken: withHandler(
      'appoint',
      ({ handler }) => ({
        handler(request, operation) {
          if (request.body.role === 'clerk') throw new Error('There are no clerks.');
          return handler(request, operation);
        },
      }),
      'people',
    ),
    only: 'appoint',
    told: /^the service reads each member of a body .*: (PATCH \S+ answered 500|appoint {"role":"clerk"}: 500)/,
  },
  {
    what: 'a value at a bound that nobody thought of',
    suite: everyBound,
    broken: withHandler('lend', ({ handler }) => ({
      handler(request, operation) {
        if (request.body.book.length === 1) throw new Error('There are no such books.');
        return handler(request, operation);
      },
    })),
    only: 'lend',
    told: /(POST \S+ answered 500|lend body \/book at minLength 1: 500)/,
  },
  {
    what: 'a value that is said to be beyond a bound, and is not',
    suite: everyBound,
    broken: library,
    only: 'lend',
    team: { bounds: { 'lend body /book beyond minLength 1': () => 'A book that nobody has' } },
    told: /lend body \/book beyond minLength 1: 201 /,
  },
  {
    what: 'a permission that is too wide',
    suite: permissions,
    broken: { ...library, policy: wide },
    only: 'getLoan',
    told: /getLoan by READER, another's: 200: false, not true$/,
  },
  {
    what: 'the same by GraphQL',
    suite: permissions,
    broken: { ...library, policy: wide },
    only: 'Query.loan',
    told: /Query\.loan by READER, another's: : false, not true$/,
  },
  {
    what: 'the same by a socket',
    suite: permissions,
    broken: { ...library, policy: wide },
    only: 'Subscription.lent',
    told: /Subscription\.lent by GUEST, own: : false, not true$/,
  },
  {
    what: 'a permission that is too narrow, by a socket',
    suite: permissions,
    broken: { ...library, policy: narrow },
    only: 'Subscription.lent',
    told: /Subscription\.lent by CLERK, own: FORBIDDEN: true, not false$/,
  },
  {
    what: 'a field that fails',
    suite: permissions,
    broken: {
      ...library,
      resolvers: changed(library.resolvers, 'Query', 'loan', () => ({
        handler() {
          throw new Error('of ours');
        },
      })),
    },
    only: 'Query.loan',
    told: /Query\.loan by KEEPER, own: INTERNAL$/,
  },
  {
    what: 'an order of failures that is another',
    suite: failureOrder,
    broken: withHandler('lend', ({ handler }) => ({
      async handler(request, operation) {
        await operation.enforce();
        return handler(request, operation);
      },
    })),
    only: 'lend',
    told: /^lend \(POST \/api\/v1\/loans\): .*a book that somebody has.*: 4(22|29), not 423$/,
  },
  {
    what: 'a failure that is declared, and that nothing brings about',
    suite: failureOrder,
    broken: library,
    only: 'lend',
    team: { faults: [] },
    told: /^lend .*: no fault causes the declared 423/,
  },
  {
    what: 'a failure by the values of parameters, in what was drawn',
    suite: drawnRequests,
    broken: withHandler('getLoanOfReader', ({ reply }) => ({
      reply(made, context) {
        const { brief, styles } = context.query;
        if (brief === true && styles.length > 1) throw new Error('of ours');
        return reply(made, context);
      },
    })),
    only: 'getLoanOfReader',
    // The failure needs an existing loan.
    team: { draws: { runs: 1500 } },
    told: /answered 500/,
  },
  {
    what: 'an answer to what was drawn',
    suite: drawnRequests,
    broken: withHandler('getLoan', () => ({ reply: () => ({ status: 200, body: { id: 1, book: '' } }) })),
    only: 'getLoan',
    told: /body: data\/book must NOT have fewer than 1 characters/,
  },
];

t.test('the kit reports each planted fault', async (t) => {
  const options = { ...(await said()), open: () => memoryDatabase(t) };
  for (const { what, suite, broken, only, team, told } of BREAKS) {
    const found = await toldBy((cases) => suite(cases, broken, { ...options, ...team, only: [only] }));
    t.ok(
      found.some((line) => told.test(line)),
      `${what}: ${found.slice(0, 5).join('\n')}`,
    );
  }
});

t.test('the kit reports a response that the platform would not let a handler send', async (t) => {
  const { breaches } = contractOf({ openapi: openApiOf(contracts.openapi).written, graphql: contracts.schema });
  const headers = new Headers({ 'content-type': 'application/json' });
  const told = (method: string, path: string, status: number) =>
    breaches({
      method,
      path,
      request: {},
      status,
      headers,
      text: JSON.stringify({ id: 1, book: 'A', reader: 'somebody' }),
    });
  t.same(told('POST', '/api/v1/loans', 200), ['POST /api/v1/loans answered 200, which the contract does not declare']);
  const member = 'GET /api/v1/loans/1 200: body: data must NOT have additional properties';
  t.ok(told('GET', '/api/v1/loans/1', 200).includes(member), member);
});

t.test('the kit reports options for unknown operations and fields', async (t) => {
  const options = await said();
  const told = (more: ConformanceOptions<LibraryServices>) =>
    toldBy((cases) => permissions(cases, library, { ...options, only: ['Query.loan'], ...more }));
  const fault = { name: 'a fault', status: 409, apply: () => {} };
  t.same(await told({}), []);
  t.same(
    await told({
      only: ['lends'],
      accounts: ['person'],
      make: { loan: async () => 1 },
      bodies: { lends: () => ({}) },
      fields: { 'Query.loans': () => ({}) },
      conditions: { never: () => {} },
      events: { 'Subscription.lost': () => {} },
      faults: [{ ...fault, operations: ['lends'] }],
    }),
    [
      'only: the contracts have no lends',
      'accounts: the contracts have no person',
      'make: the contracts have no loan',
      'bodies: the contracts have no lends',
      'fields: the contracts have no Query.loans',
      'events: the contracts have no Subscription.lost',
      'conditions: the contracts have no never',
      'faults: the contracts have no lends',
    ],
  );
  t.same(await told({ only: [] }), ['only: the list is empty, so that no test would run']);
  const bounds = { 'lend body /book at minLength 2': () => 'AB', 'lend body /book at minLength 1': () => 'A' };
  t.same(await toldBy((cases) => everyBound(cases, library, { ...options, bounds })), [
    'bounds: the contracts demand no lend body /book at minLength 2',
  ]);
});

t.test('the kit names the options that it needs', async (t) => {
  const options = { ...(await said()), open: () => memoryDatabase(t) };
  const { make: _make, bodies: _bodies, ...less } = options;
  const found = [
    ...(await toldBy((cases) => everyOperation(cases, library, { ...less, only: ['lend'] }))),
    ...(await toldBy((cases) => everyOperation(cases, library, { ...less, only: ['getLoan'] }))),
    ...(await toldBy((cases) => permissions(cases, library, { ...options, conditions: {}, only: ['appoint'] }))),
    ...(await toldBy((cases) => permissions(cases, library, { ...options, events: {}, only: ['Subscription.lent'] }))),
  ].join('\n');
  t.match(
    found,
    'the path parameter loan_id has no example. Add one to the contract, or create its resource with `make`',
  );
  t.match(found, 'lend: the request body has no example. Add one to the contract, or return a body from `bodies`.');
  t.match(found, 'Subscription.lent: no event can be caused. Add a function to `events`.');
  t.match(found, 'No request meets the condition "role is another". Add a function to `conditions`.');
});

t.test('the test service has accounts and requests, and rejects a response that violates the contract', async (t) => {
  const { contracts } = await said();
  const broken = withHandler('getLoan', () => ({ reply: () => ({ status: 200, body: { id: 1 } }) }));
  const service = await testService(broken, { contracts, people: { momo: 'READER', hora: 'KEEPER' } });
  t.teardown(service.close);
  const { momo, hora } = service.people;
  const lent = await service.rest('POST', '/loans', { as: momo, body: { book: 'The Neverending Story' } });
  t.match(lent, { status: 201, body: { book: 'The Neverending Story' } });
  const { data } = await service.graphql(hora, 'query($id: ID!) { loan(id: $id) { book } }', { id: lent.body.id });
  t.same(data, { loan: { book: 'The Neverending Story' } });
  t.equal((await service.services.loans.put('Momo', momo.id)).authorId, momo.id);
  const response = await service.fetch(`/api/v2/loans/${lent.body.id}?styles=plain`, { headers: momo.headers });
  t.same(await response.json(), { id: lent.body.id, book: 'The Neverending Story', reader: momo.id });
  await t.rejects(service.rest('GET', `/api/v1/loans/${lent.body.id}`, { as: momo }), {
    message:
      /^An answer breaks the contract: GET \/api\/v1\/loans\/1 200: body: data must have required property 'book'$/,
  });
});
