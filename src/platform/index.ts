/**
 * The door of the platform: all that an application may import of it. What is not exported here may change with any version.
 * @module
 */

// Accounts and sessions.
export { ACCOUNT_ACTIONS, type AccountActions } from './accounts/account-rules.js';
export { type Effect, effectStatement, inOneStatement } from './accounts/effects.js';
export { hasher } from './accounts/passwords.js';
export { type StoredModel, storedRows } from './accounts/stored-rows.js';
export type { UserPage } from './accounts/user-pages.js';
export { USER, type User, userRows } from './accounts/user-reads.js';
export { emailKey, type UserFields } from './accounts/user-rules.js';
export type { Belongings } from './accounts/users.js';
export { type Deed, writing } from './accounts/writing.js';
// What an application is made of.
export { type Application, type Demo, type DemoPerson, defineApplication } from './application.js';
// A call of one operation: who makes it, what it may do, and how it fails.
export {
  type ActionOf,
  type Actor,
  authenticated,
  authorise,
  authoriseRole,
  type Call,
  type Policy,
} from './calls/access.js';
export { asNextVersion, type Conditions, type Versioned } from './calls/conditions.js';
// Lists.
export { type Counting, countedRows } from './calls/counting.js';
export { Failure, type FailureOptions, failuresOf, notWritten } from './calls/errors.js';
export type { Issue } from './calls/issues.js';
export { type Listing, listedRows, type Part, pageOf, windowOf } from './calls/listing.js';
export {
  type Cursors,
  grouped,
  isStorableId,
  MAX_ID,
  type OffsetPage,
  type Page,
  type PageRequest,
  storableOffset,
  type Window,
  type WindowPage,
} from './calls/pages.js';
export { type Departure, entomb, existing, type Model, refuseAbsent } from './calls/tombstones.js';
export type { Catalogue, Code } from './contract/codes.js';
// The database, beside Prisma.
export { isReferenceViolation } from './database/client.js';
export { columnsOf } from './database/columns.js';
export {
  type Reads,
  type Sql,
  type Statement,
  type Statements,
  statement,
  type Transaction,
} from './database/statement.js';
// GraphQL.
export { below } from './graphql/below.js';
export { type ConnectionArgs, connection } from './graphql/connection.js';
export type { GraphQLContext } from './graphql/context.js';
export { DEFAULT_LIMIT, page } from './graphql/page.js';
export { selects } from './graphql/selection.js';
export { defineTables, type Tables } from './graphql/tables.js';
export type { SessionCookies } from './http/session-cookies.js';
export type { Answering, Idempotency } from './idempotency/idempotency.js';
export type { Job } from './jobs/jobs.js';
export type { DurableStream, StreamOptions } from './live/durable-streams.js';
// REST.
export { ifMatch, resourceTag } from './rest/conditions.js';
export type { Context } from './rest/context.js';
export { representPage } from './rest/paging.js';
export { preference } from './rest/preferences.js';
export { httpUrl } from './server/config.js';
export type { PlatformServices } from './services.js';
export type { OwnSession } from './sessions/session-list.js';
export type { SessionTokens } from './sessions/session-tokens.js';
// Operations: models, targets and routes.
export { type Model as DeclaredModel, model, type Row } from './operations/model.js';
export { many, one, relationResolvers, tablesOf } from './operations/graphql.js';
export { replies } from './operations/rest.js';
export { type Operation, type ReplyContext, type Route, routeFor } from './operations/route.js';
export { create, list, record, removal } from './operations/target.js';
export type { RestRoutes, RootRoutes } from './operations/typed.js';
