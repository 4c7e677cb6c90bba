import t from 'tap';
import { application } from '../../src/application/application.js';
import type { Application } from '../../src/platform/core/application.js';
import { allParts } from '../../src/platform/server/all-parts.js';
import {
  type ConformanceOptions,
  drawnRequests,
  everyBound,
  everyOperation,
  failureOrder,
  permissions,
  type TestRunner,
} from '../../src/testing/index.js';
import { freshDatabase, successiveDatabases } from '../../src/testing/service.js';
import { example } from '../support/conformance.js';
import { CUTS, cutContracts } from '../support/contract-cuts.js';
import { namesIn, page } from '../support/documentation.js';
import { publicOrders } from '../support/public-orders.js';

/** Counts what the kit checks, and lists what fails. */
function countingRunner() {
  const failures: string[] = [];
  const counts: Record<string, number> = {};
  const check = (suite: string, isRight: boolean, message: string) => {
    counts[suite] = (counts[suite] ?? 0) + 1;
    if (!isRight) failures.push(`${suite}: ${message}`);
  };
  const runner = (suite: string): TestRunner => ({
    test: (name, run) => run(runner(suite)).catch((error: Error) => check(suite, false, `${name}: ${error.message}`)),
    equal: (found, wanted, message) => check(suite, found === wanted, `${message}: ${found}, not ${wanted}`),
    ok: (value, message) => check(suite, Boolean(value), message),
  });
  return { runner, failures, counts };
}

const SUITES = { everyOperation, everyBound, failureOrder, permissions, drawnRequests };
/** About half of the checks with all parts. Fewer mean that a suite found nothing to test. */
const LEAST: Record<keyof typeof SUITES, number> = {
  everyOperation: 80,
  everyBound: 90,
  failureOrder: 400,
  permissions: 250,
  drawnRequests: 3,
};

/** The public operations alone have fewer. */
const LEAST_WITHOUT_CALLERS: typeof LEAST = {
  everyOperation: 30,
  everyBound: 18,
  failureOrder: 110,
  permissions: 7,
  drawnRequests: 3,
};

/** Parts without a stage before a handler, which decide nothing about callers. */
const BEHIND = ['jobs', 'observability', 'pages'];

const { events, ...withoutEvents } = example;
const { variables, make, faults, elsewhere } = example;
const ofOrders = {
  ...{ variables, make, elsewhere },
  faults: faults?.filter(({ name }) => name === 'an order that is final'),
} as ConformanceOptions;
const { Subscription, ...resolvers } = application.resolvers as Record<string, object>;

const databases = successiveDatabases(() => freshDatabase(application));
/** The tables of accounts are dropped, so that any statement about them fails. */
const withoutAccounts = successiveDatabases(async () => {
  const database = await freshDatabase(application);
  const tables = namesIn(page('src/platform/parts/identity/README.md'), 'Tables');
  for (const name of tables) await database.client.$executeRawUnsafe(`DROP TABLE "${name}" CASCADE`);
  return database;
});
t.teardown(() => Promise.all([databases.close(), withoutAccounts.close()]));

interface Change {
  served?: Partial<Application>;
  options?: ConformanceOptions;
  open?: typeof databases.open;
  least?: typeof LEAST;
}
/** What an application without a part leaves out besides. */
const CHANGES: Partial<Record<string, Change>> = {
  live: { served: { resolvers }, options: withoutEvents },
  // Payments have jobs, so the contract has no payments.
  jobs: {
    served: {
      services: (platform) => application.services({ ...platform, jobs: { ...platform.jobs, add: () => {} } }),
    },
  },
  identity: {
    ...{ served: publicOrders, options: ofOrders, open: withoutAccounts.open, least: LEAST_WITHOUT_CALLERS },
  },
};

for (const [part, cut] of Object.entries(CUTS)) {
  t.test(`the example conforms without ${part}`, async (t) => {
    const { served, options, open, least } = {
      ...{ served: {}, options: example, open: databases.open, least: LEAST },
      ...CHANGES[part],
    };
    const parts = allParts.filter(({ name }) => name !== part);
    const contracts = await cutContracts(cut);
    const { runner, failures, counts } = countingRunner();
    const suites = Object.entries(SUITES).filter(([name]) => name !== 'permissions' || !BEHIND.includes(part));
    for (const [name, suite] of suites)
      await suite(
        runner(name),
        { ...application, ...served, parts },
        { ...options, contracts, open, coverage: false, draws: { runs: 100 } },
      );
    t.strictSame(failures, []);
    for (const [name] of suites)
      t.ok((counts[name] ?? 0) >= least[name as keyof typeof least], `${name}: ${counts[name]}`);
  });
}

t.test('each part has its row', async (t) => {
  t.strictSame(Object.keys(CUTS).sort(), allParts.map(({ name }) => name).sort());
});
