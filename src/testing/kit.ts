import type { Application } from '@accord-api/platform/internals/application';
import type { ConformanceOptions, TestRunner } from './conformance-options.js';
import type { Contract } from './contract.js';
import { matrixOf, rootFields } from './matrix.js';
import { type TestService, type TestServiceOptions, testService } from './service.js';
import { parametersIn } from './sound-request.js';

/** Starts a service, runs tests, and closes it. Violations of the contract and unknown names in the options fail the tests. */
export async function withService<Own extends object>(
  t: TestRunner,
  application: Application<Own>,
  given: ConformanceOptions<Own>,
  settings: TestServiceOptions,
  run: (service: TestService, options: ConformanceOptions) => Promise<void>,
): Promise<void> {
  const { open, ...ofService } = given;
  const opened = settings.database ? undefined : await open?.();
  const database = settings.database ?? opened;
  const started = await testService(application, {
    onBreach: (breach) => t.ok(false, breach),
    ...ofService,
    ...settings,
    ...(database && { database }),
  });
  // The suites need not know the services of the application.
  const [service, options] = [started as unknown as TestService, given as unknown as ConformanceOptions];
  for (const message of unknownNames(service.contract, options)) t.ok(false, message);
  try {
    await run(service, options);
  } finally {
    await service.close();
    await opened?.close();
  }
}

/** Returns the names in the options that the contracts do not have: their tests would silently not run. */
function unknownNames(contract: Contract, options: ConformanceOptions): string[] {
  const { only, accounts = [], make, makeOwn, deleted, bodies, events, conditions, faults = [] } = options;
  const { rest, graphql } = matrixOf(contract);
  const operations = contract.operations.map(({ operationId }) => operationId);
  const fields = rootFields(contract.schema).map(([name]) => name);
  const parameters = contract.operations.flatMap(({ path }) => parametersIn(path));
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
