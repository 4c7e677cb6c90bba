import type { Application } from '@accord-api/platform/internals/application';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import type { Contract } from './contract.js';
import { matrixOf, rootFields } from './matrix.js';
import { type TestService, type TestServiceOptions, testService } from './service.js';
import { parametersIn } from './sound-request.js';

/**
 * Starts a service for some cases, with somebody of each role, and ends it after them. What breaks the contract is told as a
 * failure of the cases.
 * @param cases are told what the team says, too: whose services it knows, the cases need not
 */
export async function withService<Own extends object>(
  t: Cases,
  application: Application<Own>,
  options: ConformanceOptions<Own>,
  settings: TestServiceOptions,
  cases: (service: TestService, options: ConformanceOptions) => Promise<void>,
): Promise<void> {
  const { open, ...ofService } = options;
  const opened = settings.database ? undefined : await open?.();
  const database = settings.database ?? opened;
  const service = await testService(application, {
    onBreach: (breach) => t.ok(false, breach),
    ...ofService,
    ...settings,
    ...(database && { database }),
  });
  const said = options as unknown as ConformanceOptions;
  for (const name of namedInVain(service.contract, said)) t.ok(false, name);
  try {
    await cases(service as unknown as TestService, said);
  } finally {
    await service.close();
    await opened?.close();
  }
}

/** What a team says of things that its contracts do not have, whose cases would not be there and not be missed. */
function namedInVain(contract: Contract, said: ConformanceOptions): string[] {
  const { operations, schema } = contract;
  const { rest, graphql } = matrixOf(contract);
  const ids = operations.map(({ operationId }) => operationId);
  const fields = rootFields(schema).map(([name]) => name);
  const parameters = operations.flatMap(({ path }) => parametersIn(path));
  const { only, accounts = [], make, makeOwn, deleted, bodies, events, conditions, faults = [] } = said;
  const known: [member: string, names: readonly string[], known: readonly (string | undefined)[]][] = [
    ['only', only ?? [], [...ids, ...fields]],
    ['accounts', accounts, parameters],
    ...Object.entries({ make, makeOwn, deleted }).map(([member, made = {}]): [string, string[], string[]] => [
      member,
      Object.keys(made),
      parameters,
    ]),
    ['bodies', Object.keys(bodies ?? {}), ids],
    ['fields', Object.keys({ ...said.fields, ...said.ownFields }), fields],
    ['events', Object.keys(events ?? {}), fields],
    ['conditions', Object.keys(conditions ?? {}), [...rest, ...graphql].map(({ when }) => when)],
    ['faults', faults.flatMap(({ operations }) => (typeof operations === 'function' ? [] : operations)), ids],
  ];
  const vain = known.flatMap(([member, names, all]) =>
    names.filter((name) => !all.includes(name)).map((name) => `${member}: the contracts have no ${name}`),
  );
  return only?.length === 0 ? [...vain, 'only: names nothing, so that nothing is tried'] : vain;
}
