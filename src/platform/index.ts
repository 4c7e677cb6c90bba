/**
 * The public module of the platform: all that an application may import of it. Anything that is not exported here may change with
 * any version. docs/your-own-api.md, "The ten exports that you meet first", shows where to begin.
 * @module
 */

export { emailKey, hasher, User, type UserFields } from './core/accounts.js';
export { type Application, type ApplicationPlatform, type Demo, defineApplication } from './core/application.js';
export type { Call } from './core/calls/access.js';
export { Failure, failuresOf, type NotWritten, notWritten } from './core/calls/errors.js';
export { type Page, type PageRequest, resourceTag } from './core/calls/rows.js';
export type { SessionCookies, SessionTokens } from './core/calls/session.js';
export type { GraphQLContext } from './core/graphql/context.js';
export { type Db, model, type ReadByPlatform, type Row } from './core/operations/model.js';
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
} from './core/operations/route.js';
export type { Job } from './core/part.js';
export { type Context, preference, replies, representPage } from './core/rest/routes.js';
export { httpUrl } from './core/variables.js';
export type { OwnSession } from './parts/identity/sessions/sessions.js';
export type { HandlerServices, PlatformServices } from './server/services.js';
