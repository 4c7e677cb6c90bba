// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.

/**
 * Who may do what, by action and role. `any`: whoever it belongs to, or it belongs to nobody. `own`: what is the
 * caller's own. `none`: nothing. Stated by `x-permission` and `@permission`; see also permissions.md.
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
  'users.set-password': { MEMBER: 'own', ADMIN: 'any' },
  'users.read': { MEMBER: 'own', ADMIN: 'any' },
  'books.subscribe': { MEMBER: 'any', ADMIN: 'any' },
} as const;

/**
 * The operations and root fields whose action reaches `own`, with what their target must decide by: `owner`, a stored row;
 * `self`, a new row of the caller. A route whose target does not decide so does not compile.
 */
export interface Decisions {
  createBook: 'owner' | 'self';
  updateBook: 'owner';
  deleteBook: 'owner';
  updateUser: 'owner';
  deleteUser: 'owner';
  changePassword: 'owner';
  getCurrentUser: 'owner';
  'Query.me': 'owner';
  'Mutation.createBook': 'owner' | 'self';
  'Mutation.deleteBook': 'owner';
}

/** What a permission is asked for. */
export type Action = keyof typeof policy;

/** What an account can be, as it is stored, as tokens carry it and as GraphQL spells it. REST has it in lower case. */
export type Role = 'MEMBER' | 'ADMIN';
