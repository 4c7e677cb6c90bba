/** The conformance kit, which tests an application against its contracts. No service loads it. @module */
import type { Application } from '@accord-api/platform/internals/core/application';
import { drawnRequests } from './drawn-requests.js';
import { everyBound } from './every-bound.js';
import { everyOperation } from './every-operation.js';
import { failureOrder } from './faults.js';
import { everyField } from './graphql-fields.js';
import type { ConformanceOptions, TestRunner } from './kit.js';
import { permissions } from './permissions.js';
import { freshDatabase, successiveDatabases } from './service.js';

export type {
  Account,
  GraphQLAnswer,
  Person,
  RawRequest,
  RestAnswer,
  RestRequest,
  Subscription,
  TestClient,
} from './client.js';
export type { ApplicationFault, ConformanceOptions, Draft, RequestContext, TestRunner } from './kit.js';
export { PASSWORD, type TestService, type TestServiceOptions, testService } from './service.js';
export { drawnRequests, everyBound, everyField, everyOperation, failureOrder, permissions };

const SUITES = {
  'every operation': everyOperation,
  'every field': everyField,
  'every bound': everyBound,
  'the order of failures': failureOrder,
  permissions,
  'generated requests': drawnRequests,
};

/**
 * Sends every request whose answer the contracts determine, and checks every answer. Each suite starts with an empty database.
 * @param options what the contracts cannot express about the requests
 */
export async function conformance<Own extends object>(
  t: TestRunner,
  application: Application<Own>,
  options: ConformanceOptions<Own> = {},
): Promise<void> {
  const { open, close } = successiveDatabases(() => freshDatabase(application));
  const given = options.database || options.open ? options : { ...options, open };
  try {
    for (const [name, suite] of Object.entries(SUITES)) await t.test(name, (t) => suite(t, application, given));
  } finally {
    await close();
  }
}
