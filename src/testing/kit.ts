import type { Application } from '@accord-api/platform/internals/application';
import type { ConformanceOptions, TestRunner } from './conformance-options.js';
import type { Contract } from './contract.js';
import { matrixOf, rootFields } from './contract.js';
import { type TestService, type TestServiceOptions, testService } from './service.js';
import { parametersIn } from './sound-request.js';

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
      await run(t, service, options);
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
