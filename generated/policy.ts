// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.

/**
 * Who may do what, by action and role. `any`: whoever it belongs to, or it belongs to nobody. `own`: what is the
 * caller's own. `none`: nothing. Stated by `x-permission` and `@permission`; see also permissions.md.
 */
export const policy = {
  'users.list': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
  'users.create': { VIEWER: 'none', DEVELOPER: 'none', ADMIN: 'any' },
  'users.read': { VIEWER: 'any', DEVELOPER: 'any', ADMIN: 'any' },
  'users.update': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'users.set-role': { VIEWER: 'none', DEVELOPER: 'none', ADMIN: 'any' },
  'users.delete': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'users.set-password': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'orders.list': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' },
  'orders.create': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'orders.read': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' },
  'orders.cancel': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
  'orders.pay': { VIEWER: 'own', DEVELOPER: 'own', ADMIN: 'any' },
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
 * The action of each operation, by operationId, and of each root field, as `Type.field`: what the platform decides before
 * its handler or resolver is asked.
 */
export const operations = {
  listUsers: 'users.list',
  createUser: 'users.create',
  getUser: 'users.read',
  replaceUser: 'users.update',
  updateUser: 'users.update',
  deleteUser: 'users.delete',
  changePassword: 'users.set-password',
  listOrders: 'orders.list',
  createOrder: 'orders.create',
  getUserOrder: 'orders.read',
  getOrder: 'orders.read',
  cancelOrder: 'orders.cancel',
  payOrder: 'orders.pay',
  getCurrentUser: 'users.read',
  listSessions: 'sessions.read',
  revokeOtherSessions: 'sessions.revoke',
  revokeSession: 'sessions.revoke',
  'Query.user': 'users.read',
  'Query.users': 'users.list',
  'Query.usersConnection': 'users.list',
  'Query.me': 'users.read',
  'Query.post': 'posts.read',
  'Query.posts': 'posts.read',
  'Query.messages': 'messages.read',
  'Mutation.createUser': 'users.create',
  'Mutation.updateUser': 'users.update',
  'Mutation.deleteUser': 'users.delete',
  'Mutation.createPost': 'posts.create',
  'Mutation.updatePost': 'posts.update',
  'Mutation.deletePost': 'posts.delete',
  'Mutation.addComment': 'comments.create',
  'Mutation.updateComment': 'comments.update',
  'Mutation.deleteComment': 'comments.delete',
  'Mutation.addMessage': 'messages.create',
  'Mutation.deleteMessage': 'messages.delete',
  'Subscription.messageAdded': 'messages.subscribe',
} as const;

/** What a permission is asked for. */
export type Action = keyof typeof policy;

/** What an account can be, as it is stored, as tokens carry it and as GraphQL spells it. REST has it in lower case. */
export type Role = 'VIEWER' | 'DEVELOPER' | 'ADMIN';
