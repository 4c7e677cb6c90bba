// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.

/**
 * The permissions by action and role. `any`: all rows. `own`: rows of the caller. `none`: no rows.
 * Source: `x-permission` and `@permission`. See also permissions.md.
 */
export const policy = {
  'books.read': { MEMBER: 'any', ADMIN: 'any' },
  'books.create': { MEMBER: 'own', ADMIN: 'own' },
  'books.update': { MEMBER: 'own', ADMIN: 'any' },
  'books.delete': { MEMBER: 'own', ADMIN: 'any' },
  'users.create': { MEMBER: 'none', ADMIN: 'any' },
  'users.update': { MEMBER: 'own', ADMIN: 'any' },
  'users.set-role': { MEMBER: 'none', ADMIN: 'any' },
  'users.delete': { MEMBER: 'own', ADMIN: 'any' },
  'users.read': { MEMBER: 'own', ADMIN: 'any' },
  'users.set-password': { MEMBER: 'own', ADMIN: 'any' },
  'sessions.read': { MEMBER: 'own', ADMIN: 'own' },
  'sessions.revoke': { MEMBER: 'own', ADMIN: 'own' },
  'books.subscribe': { MEMBER: 'any', ADMIN: 'any' },
} as const;

/**
 * The operations and root fields whose action reaches `own`, with the decision that their target must make: `owner`, by a
 * stored row; `self`, by a new row of the caller. A route with another target does not compile.
 */
export interface Decisions {
  createBook: 'owner' | 'self';
  updateBook: 'owner';
  deleteBook: 'owner';
  updateUser: 'owner';
  deleteUser: 'owner';
  getCurrentUser: 'owner';
  changePassword: 'owner';
  listSessions: 'owner' | 'self';
  revokeOtherSessions: 'owner' | 'self';
  revokeSession: 'owner' | 'self';
  'Query.me': 'owner';
  'Mutation.createBook': 'owner' | 'self';
  'Mutation.deleteBook': 'owner';
}

/** The fields of GraphQL that parts answer (`x-parts`). The application may answer them itself. */
export type FieldOfPart = 'Query.me' | 'User.role';

/** The actions that permissions name. */
export type Action = keyof typeof policy;

/** The roles of accounts, as in the database, in tokens and in GraphQL. REST has them in lower case. */
export type Role = 'MEMBER' | 'ADMIN';
