import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { PIPELINE } from '@accord-api/platform/internals/pipeline';
import type { ConformanceOptions, TestRunner } from './conformance-options.js';
import { type Fault, faultsOf, isOwnerKnown, resourceId, unauthorizedPerson } from './faults.js';
import { suite } from './kit.js';
import type { TestService } from './service.js';
import { sendDraft, soundRequest, testedOperations } from './sound-request.js';

/** Returns true for a declared failure that no single request can cause in any application. */
const isUntestable = (operation: Operation, status: number, options: ConformanceOptions, service: TestService) =>
  // A slow client.
  status === 408 ||
  // An unknown version in the subdomain: see "every operation".
  (status === 404 && resourceId(operation) === undefined) ||
  // Plain HTTP in production, and cookies from a foreign origin.
  (status === 403 && unauthorizedPerson({ operation, options, service }) === undefined) ||
  // Two concurrent requests with one idempotency key.
  (status === 409 && operation.operation.parameters.some(({ name }) => name === 'Idempotency-Key')) ||
  // An answer without a body, whose media type is not negotiated.
  status === 406 ||
  // The metrics have a token of their own.
  operation.security.some((alternative) => 'metricsToken' in alternative);

const stageIndex = ({ stage }: Fault) => PIPELINE.findIndex(({ name }) => name === stage);

/** Limits that the first request of a caller exhausts. Each request is therefore 429, unless an earlier failure decides. */
const EXHAUSTED = { RATE_LIMIT: '1', RATE_LIMIT_ANONYMOUS: '1', RATE_CEILING: '1000000' };

const settings = (_: unknown, { environment }: ConformanceOptions) => {
  // The rate window never ends.
  const now = Date.now();
  return { environment: { ...environment, ...EXHAUSTED }, now: () => now };
};

/**
 * Tests that each operation answers each fault as declared, and two faults by the first in the order of failures. Each
 * declared failure needs a fault that causes it.
 */
export const failureOrder = suite(async (t, service, options) => {
  for (const as of [undefined, ...Object.values(service.people)]) await service.rest('GET', '/nowhere', { as });
  for (const operation of testedOperations(service, options)) {
    const { operationId, method, path } = operation;
    await t.test(`${operationId} (${method} ${path})`, (t) => failuresOf(t, service, options, operation));
  }
}, settings);

async function failuresOf(t: TestRunner, service: TestService, options: ConformanceOptions, operation: Operation) {
  const declared = Object.keys(operation.operation.responses).map(Number);
  const isWritten = !service.app.notWritten.includes(operation.operationId);
  const faults = faultsOf(options).flatMap((fault) => {
    const change = fault.changeFor({ operation, options, service });
    // An operation that is not implemented rejects what the stages before its handler decide.
    return change && (isWritten || (fault.rank <= 2 && !fault.isByHandler)) ? [{ ...fault, change }] : [];
  });

  const statusWith = async (wrong: typeof faults): Promise<number> => {
    const { draft, context } = await soundRequest(service, options, operation);
    // The earlier fault replaces the later one if both change the same part.
    for (const { change } of wrong.toReversed()) await change(draft, context);
    return (await sendDraft(service, operation, draft)).status;
  };

  for (const status of declared.filter((one) => one >= 400 && one < 429 && isWritten)) {
    const isCovered =
      faults.some((fault) => fault.status === status) ||
      isUntestable(operation, status, options, service) ||
      options.elsewhere?.(operation, status) === true;
    t.ok(
      isCovered,
      `no fault causes the declared ${status}: add one to \`faults\`, or name another test by \`elsewhere\``,
    );
  }
  if (isWritten && declared.includes(429)) t.equal(await statusWith([]), 429, 'a sound request');
  for (const fault of faults) t.equal(await statusWith([fault]), fault.status, fault.name);
  const ranks = [...new Set(faults.map(({ rank }) => rank))].sort((a, b) => a - b);
  for (const first of faults) {
    const nextRank = ranks[ranks.indexOf(first.rank) + 1];
    const isLater = (fault: Fault) =>
      fault.rank === nextRank || (fault.rank === first.rank && stageIndex(fault) > stageIndex(first));
    for (const second of faults.filter(isLater)) {
      // A missing resource is 404 for everybody who is authenticated (docs/decisions.md, "Failures").
      const mustLoad = first.status === 403 && second.rank === 4 && !isOwnerKnown(operation, options);
      const expected = mustLoad ? second.status : first.status;
      t.equal(await statusWith([first, second]), expected, `${first.name} and ${second.name}`);
    }
  }
}
