/**
 * The door of the platform: all that an application may import of it. What is not exported here may change with any version.
 * @module
 */

// Accounts and sessions.
export { hasher } from './accounts/passwords.js';
export { emailKey, User, type UserFields } from './accounts/user-model.js';
// The application.
export { type Application, type Demo, type DemoPerson, defineApplication } from './application.js';
// A call of one operation: its caller, and its failures.
export type { Actor, Call, Policy } from './calls/access.js';
export { Failure, type FailureOptions, failuresOf, type NotWritten, notWritten } from './calls/errors.js';
export type { Issue } from './calls/issues.js';
// Lists.
export type { Cursors, Page, PageRequest, WindowPage } from './calls/pages.js';
export type { Versioned } from './calls/versions.js';
export type { Catalogue, Code } from './contract/codes.js';
// GraphQL.
export type { Connection } from './graphql/connection.js';
export type { GraphQLContext } from './graphql/context.js';
export type { SessionCookies } from './http/session-cookies.js';
export type { Idempotency } from './idempotency/idempotency.js';
export type { Job } from './jobs/jobs.js';
// Models, targets and routes.
export { type Db, type Model, type ModelName, model, type ReadByPlatform, type Row } from './operations/model.js';
export { replies } from './operations/rest.js';
export { type Operation, type ReplyContext, type Route, routeFor } from './operations/route.js';
export type { Transact } from './operations/system-client.js';
export { caller, connection, create, type Decides, list, record, removal, stream } from './operations/target.js';
// REST.
export { resourceTag } from './rest/conditions.js';
export type { Context } from './rest/context.js';
export { representPage } from './rest/paging.js';
export { preference } from './rest/preferences.js';
export { httpUrl } from './server/config.js';
export type { ApplicationPlatform, HandlerServices, PlatformServices } from './services.js';
export type { OwnSession } from './sessions/session-list.js';
export type { SessionTokens } from './sessions/session-tokens.js';
