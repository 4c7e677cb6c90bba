/**
 * The conformance kit: what holds an application to its contracts, for its tests. Not loaded by a service.
 * @module
 */
export { conformance } from './conformance.js';
export type { Asked, Cases, ConformanceOptions, OwnFault } from './conformance-options.js';
export { drawnRequests } from './drawn-requests.js';
export { everyOperation } from './every-operation.js';
export { failureOrder } from './failure-order.js';
export { type Account, PASSWORD, type Person } from './people.js';
export { permissions } from './permissions.js';
export type { Drawn } from './send.js';
export {
  type GraphQLAnswer,
  type RestAnswer,
  type RestRequest,
  type TestService,
  type TestServiceOptions,
  testService,
} from './service.js';
export type { Draft } from './sound-request.js';
export type { Subscription } from './subscription.js';
