/**
 * The public module of the platform: all that an application may import of it. Anything that is not exported here may change with
 * any version. docs/your-own-api.md, "The ten exports that you meet first", shows where to begin.
 * @module
 */

export { hasher } from './accounts/passwords.js';
export { emailKey, User, type UserFields } from './accounts/users.js';
export { type Application, type ApplicationPlatform, type Demo, defineApplication } from './application.js';
export type { Call } from './calls/access.js';
export { Failure, failuresOf, type NotWritten, notWritten } from './calls/errors.js';
export { type Page, type PageRequest, resourceTag } from './calls/rows.js';
export type { GraphQLContext } from './graphql/context.js';
export type { SessionCookies } from './http/call.js';
export type { Job } from './jobs/jobs.js';
export { type Db, model, type ReadByPlatform, type Row } from './operations/model.js';
export {
  caller,
  connection,
  create,
  type Decides,
  list,
  type Operation,
  type ReplyContext,
  type Route,
  record,
  removal,
  routeFor,
  stream,
} from './operations/route.js';
export { type Context, preference, replies, representPage } from './rest/routes.js';
export { httpUrl } from './server/variables.js';
export type { HandlerServices, PlatformServices } from './services.js';
export type { SessionTokens } from './sessions/session-tokens.js';
export type { OwnSession } from './sessions/sessions.js';
