import type { CommentResolvers } from '../../../generated/graphql.js';

export const Comment: CommentResolvers = {
  id: ({ id }) => String(id),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  author: ({ authorId }, _args, { call, load }) => load.user(call, authorId),
};
