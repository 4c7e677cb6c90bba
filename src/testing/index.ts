/**
 * The conformance kit: what holds an application to its contracts, for its tests. Not loaded by a service.
 * @module
 */
import type { Application } from '@accord-api/platform/internals/application';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { successiveDatabases } from './database.js';
import { drawnRequests } from './drawn-requests.js';
import { everyBound } from './every-bound.js';
import { everyField } from './every-field.js';
import { everyOperation } from './every-operation.js';
import { failureOrder } from './failure-order.js';
import { permissions } from './permissions.js';

export type { Asking, Drawn, GraphQLAnswer, RestAnswer, RestRequest, Subscription } from './client.js';
export type { Asked, Cases, ConformanceOptions, Draft, OwnFault } from './conformance-options.js';
export { drawnRequests } from './drawn-requests.js';
export { everyBound } from './every-bound.js';
export { everyField } from './every-field.js';
export { everyOperation } from './every-operation.js';
export { failureOrder } from './failure-order.js';
export { type Account, PASSWORD, type Person } from './people.js';
export { permissions } from './permissions.js';
export { type TestService, type TestServiceOptions, testService } from './service.js';

/**
 * Holds an application to its contracts: every operation and every root field is asked in every way in which the contracts say
 * what comes of it, and every answer is looked at for what they do not declare. Each suite begins with an empty database.
 * @param t of a test runner
 * @param team what the contracts cannot say of the requests to it
 */
export async function conformance<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  const { open, close } = successiveDatabases();
  const said = team.database || team.open ? team : { ...team, open };
  try {
    await t.test('every operation', (t) => everyOperation(t, application, said));
    await t.test('every field', (t) => everyField(t, application, said));
    await t.test('every bound', (t) => everyBound(t, application, said));
    await t.test('the order of failures', (t) => failureOrder(t, application, said));
    await t.test('who may do what', (t) => permissions(t, application, said));
    await t.test('requests drawn from the contract', (t) => drawnRequests(t, application, said));
  } finally {
    await close();
  }
}
