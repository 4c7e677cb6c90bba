/**
 * The conformance kit: what holds an application to its contracts, for its tests. Not loaded by a service.
 * @module
 */
export type { Asking, Drawn, GraphQLAnswer, RestAnswer, RestRequest, Subscription } from './client.js';
export { conformance } from './conformance.js';
export type { Asked, Cases, ConformanceOptions, Draft, OwnFault } from './conformance-options.js';
export { drawnRequests } from './drawn-requests.js';
export { everyBound } from './every-bound.js';
export { everyField } from './every-field.js';
export { everyOperation } from './every-operation.js';
export { failureOrder } from './failure-order.js';
export { type Account, PASSWORD, type Person } from './people.js';
export { permissions } from './permissions.js';
export { type TestService, type TestServiceOptions, testService } from './service.js';
