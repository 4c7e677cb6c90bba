import { defineTables, page } from 'accord';
import type { EveryField } from '../../../generated/graphql.js';
import type { policy } from '../../../generated/policy.js';

/**
 * Where the types of schema.graphql stand in the database: what a query selects below a user or a post is read with it, by one
 * statement. A field that is not mentioned, and has a resolver, is left to it, with all that leads there.
 */
export const tables = defineTables<EveryField, typeof policy>({
  User: {
    model: 'User',
    fields: {
      id: 'id',
      role: 'role',
      createdAt: 'createdAt',
      posts: { many: 'Post', by: 'authorId', page, action: 'posts.read' },
    },
  },
  Post: {
    model: 'Post',
    fields: {
      id: 'id',
      createdAt: 'createdAt',
      author: { one: 'User', by: 'authorId', action: 'users.read' },
      comments: { many: 'Comment', by: 'postId', page, action: 'posts.read' },
    },
  },
  Comment: {
    model: 'Comment',
    fields: {
      id: 'id',
      createdAt: 'createdAt',
      author: { one: 'User', by: 'authorId', action: 'users.read' },
    },
  },
});
