// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.

/**
 * The permissions by action and role. `any`: all rows. `own`: rows of the caller. `none`: no rows.
 * Source: `x-permission` and `@permission`. See also permissions.md.
 */
export const policy = {
  'users.list': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
  'users.create': { VIEWER: 'none', DEVELOPER: 'none', ADMIN: 'any' },
  'users.read': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
  'users.update': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'users.set-role': { VIEWER: 'none', DEVELOPER: 'none', ADMIN: 'any' },
  'users.delete': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'orders.list': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' },
  'orders.create': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'orders.read': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' },
  'orders.cancel': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'orders.pay': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'users.set-password': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'sessions.read': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'own' },
  'sessions.revoke': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'own' },
  'posts.read': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
  'messages.read': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
  'posts.create': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'own' },
  'posts.update': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' },
  'posts.delete': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' },
  'comments.create': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'own' },
  'comments.update': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' },
  'comments.delete': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' },
  'messages.create': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'own' },
  'messages.delete': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' },
  'messages.subscribe': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
} as const;

/**
 * The operations and root fields whose action reaches `own`, with the decision that their target must make: `owner`, by a
 * stored row; `self`, by a new row of the caller. A route with another target does not compile.
 */
export interface Decisions {
  replaceUser: 'owner';
  updateUser: 'owner';
  deleteUser: 'owner';
  listOrders: 'owner';
  createOrder: 'owner';
  getUserOrder: 'owner';
  getOrder: 'owner';
  cancelOrder: 'owner';
  payOrder: 'owner';
  changePassword: 'owner';
  listSessions: 'owner' | 'self';
  revokeOtherSessions: 'owner' | 'self';
  revokeSession: 'owner' | 'self';
  'Mutation.updateUser': 'owner';
  'Mutation.deleteUser': 'owner';
  'Mutation.createPost': 'owner' | 'self';
  'Mutation.updatePost': 'owner';
  'Mutation.deletePost': 'owner';
  'Mutation.addComment': 'owner' | 'self';
  'Mutation.updateComment': 'owner';
  'Mutation.deleteComment': 'owner';
  'Mutation.addMessage': 'owner' | 'self';
  'Mutation.deleteMessage': 'owner';
}

/** The fields of GraphQL that parts answer (`x-parts`). The application may answer them itself. */
export type FieldOfPart = 'Query.me' | 'User.role';

/** The actions that permissions name. */
export type Action = keyof typeof policy;

/** The roles of accounts, as in the database, in tokens and in GraphQL. REST has them in lower case. */
export type Role = 'VIEWER' | 'DEVELOPER' | 'ADMIN';
