import { Agent } from 'node:http';
import type { Application } from '@accord-api/platform/internals/application';
import { versionsOf } from '@accord-api/platform/internals/contract/openapi';
import fc from 'fast-check';
import { requestTo, type World } from './arbitrary-requests.js';
import { type Drawn, send } from './client.js';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { withService } from './kit.js';
import type { TestService } from './service.js';
import { asked, parametersIn, rolesIn, triedIn } from './sound-request.js';

/** Of each thing that a path can name. */
const THINGS = 30;

/** Accounts that may be harmed: whatever is drawn may delete them. The callers are left alone, so that they can call. */
async function makeWorld(
  service: TestService,
  { accounts = [], make = {}, makeOwn = {} }: ConformanceOptions,
): Promise<World> {
  const people = Object.values(service.people);
  const named = new Set(service.contract.operations.flatMap(({ path }) => parametersIn(path)));
  const ids: Record<string, string[]> = {};
  const add = (name: string, id: string | number) => {
    ids[name] = [...(ids[name] ?? []), String(id)];
  };
  for (let i = 0; i < THINGS; i++) {
    const owner = await service.account(rolesIn(service)[0] as string);
    for (const name of named) {
      if (accounts.includes(name)) add(name, owner.id);
      else if (make[name]) add(name, await make[name](asked(service, undefined, owner)));
    }
  }
  for (const name of named) {
    for (const person of people) if (makeOwn[name]) add(name, await makeOwn[name](asked(service, person, person)));
  }
  // Whoever may most asks twice as often.
  const { app, contract } = service;
  return {
    mediaType: app.names.mediaType,
    versions: versionsOf(contract.document),
    ids,
    credentials: [...people, ...people.slice(-1)].map(({ headers }) => headers),
  };
}

/**
 * Sends requests that are drawn from the contract, sound ones and spoilt ones: none is answered with 5xx, and nothing that the
 * contract does not declare. What they see is not recorded: what is demanded is not left to chance.
 */
export async function drawnRequests<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  const { runs = 300, seed = 1 } = team.draws ?? {};
  const environment = { RATE_CEILING: '10000000', LOGIN_LIMIT: '1000000', ...team.environment };
  await withService(t, application, team, { environment, coverage: false }, async (service, options) => {
    const { contract, app, log } = service;
    const world = await makeWorld(service, options);
    const tried = triedIn(service, options);
    // A contract without operations has nothing to draw from.
    if (tried.length === 0) return;
    const drawn = fc.oneof(...tried.map((operation) => requestTo(operation, world)));
    const statuses = new Map<number, number>();
    const agent = new Agent({ keepAlive: true });

    const wrongWith = async (drawn: Drawn): Promise<string[]> => {
      const exchange = await send(service.url, drawn, agent);
      const { status } = exchange;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // Whose 501 it may be, `breaches` knows.
      const isPromised = status === 501 || options.mayFail?.(drawn, status) === true;
      const fault = status >= 500 && !isPromised ? [`answered ${status}: ${log.at(-1)}`] : [];
      return [...fault, ...contract.breaches(exchange, app.notWritten)];
    };
    const property = fc.asyncProperty(drawn, async (request) => {
      const wrong = await wrongWith(request);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    });

    await t.test(
      `${runs} requests drawn with the seed ${seed}: no 5xx, and nothing that is not declared`,
      async (t) => {
        const result = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
        const why = result.errorInstance instanceof Error ? result.errorInstance.message : '';
        t.ok(!result.failed, `${why} ${fc.defaultReportMessage(result) ?? 'no counterexample'}`);
        t.equal(result.numRuns, runs, 'all of them');
        const kinds = JSON.stringify(Object.fromEntries([...statuses].sort()));
        t.ok([...statuses.keys()].some((status) => status < 300) && statuses.has(400), `of all kinds: ${kinds}`);
      },
    );
    agent.destroy();
  });
}
