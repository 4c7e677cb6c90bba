import type { Application } from '@accord-api/platform/internals/application';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { PIPELINE } from '@accord-api/platform/internals/pipeline';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { type Fault, faultsOf, ownerIsKnown, strangerTo, subjectOf } from './faults.js';
import { withService } from './kit.js';
import type { TestService } from './service.js';
import { addressOf, soundRequest, triedIn } from './sound-request.js';

/** Declared failures that no request of one caller can bring about, whatever the application. */
const neverHere = (operation: Operation, status: number, options: ConformanceOptions, service: TestService): boolean =>
  // A slow client.
  status === 408 ||
  // A version that is not served, by the subdomain: see "every operation".
  (status === 404 && subjectOf(operation) === undefined) ||
  // Plain HTTP in production and cookies from a foreign origin; here where every role may.
  (status === 403 && strangerTo(operation, options, service) === undefined) ||
  // An idempotency key in flight needs two requests at once.
  (status === 409 && operation.operation.parameters.some(({ name }) => name === 'Idempotency-Key')) ||
  // The media type of an answer without a body is not negotiated.
  status === 406 ||
  // The metrics have a token of their own.
  operation.security.some((alternative) => 'metricsToken' in alternative);

const placeOf = ({ stage }: Fault) => PIPELINE.findIndex(({ name }) => name === stage);

// The caller's requests are used up, so 429 is the last of the order in every request below.
const USED_UP = { RATE_LIMIT: '1', RATE_LIMIT_ANONYMOUS: '1', RATE_CEILING: '1000000' };

/**
 * For every operation: each way of being wrong is answered as the contract declares, two of them as the first in the order of
 * failures; and each failure that it declares is brought about.
 */
export async function failureOrder<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  // Used up they stay, however long this takes.
  const now = Date.now();
  const settings = { environment: { ...team.environment, ...USED_UP }, now: () => now };
  await withService(t, application, team, settings, async (service, options) => {
    for (const as of [undefined, ...Object.values(service.people)]) await service.rest('GET', '/nowhere', { as });
    for (const operation of triedIn(service, options)) {
      await t.test(nameOf(operation), (t) => failuresOf(t, service, options, operation));
    }
  });
}

const nameOf = ({ operationId, method, path }: Operation) => `${operationId} (${method} ${path})`;

async function failuresOf(t: Cases, service: TestService, options: ConformanceOptions, operation: Operation) {
  const { operationId } = operation;
  const declared = Object.keys(operation.operation.responses).map(Number);
  const isWritten = !service.app.notWritten.includes(operationId);
  // What is not written yet refuses all the same what is decided before its handler.
  const own = faultsOf(options).filter(
    ({ fits, rank, byHandler }) => fits(operation, options, service) && (isWritten || (rank <= 2 && !byHandler)),
  );

  const send = async (wrong: Fault[]): Promise<number> => {
    const { draft, about } = await soundRequest(service, options, operation);
    // The later fault first: where both are in one place, the earlier one shows.
    for (const fault of wrong.toReversed()) await fault.apply(draft, about, operation, options);
    return (await service.rest(operation.method, addressOf(operation, draft), draft)).status;
  };

  for (const status of declared.filter((one) => one >= 400 && one < 429 && isWritten)) {
    const told =
      own.some((fault) => fault.status === status) ||
      neverHere(operation, status, options, service) ||
      options.elsewhere?.(operation, status) === true;
    t.ok(told, `${status} is brought about by some fault: say how under \`faults\`, or that it is \`elsewhere\``);
  }
  if (isWritten && declared.includes(429)) t.equal(await send([]), 429, 'a sound request');
  for (const fault of own) t.equal(await send([fault]), fault.status, fault.name);
  const ranks = [...new Set(own.map(({ rank }) => rank))].sort((a, b) => a - b);
  for (const [index, rank] of ranks.entries()) {
    const next = ranks[index + 1];
    for (const first of own.filter((fault) => fault.rank === rank)) {
      const isNext = (fault: Fault) => fault.rank === next || (fault.rank === rank && placeOf(fault) > placeOf(first));
      for (const second of own.filter(isNext)) {
        // What does not exist is 404 for everyone who is known (docs/decisions.md, "Failures").
        const mustLoad = first.status === 403 && second.rank === 4 && !ownerIsKnown(operation, options);
        const expected = mustLoad ? second.status : first.status;
        t.equal(await send([first, second]), expected, `${first.name} and ${second.name}`);
      }
    }
  }
}
