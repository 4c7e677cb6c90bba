import type { CommentResolvers } from '../../../generated/graphql.js';
import { userBelow } from './loaders.js';

export const Comment: CommentResolvers = {
  id: ({ id }) => String(id),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  author: ({ authorId }, _args, context) => userBelow(context, authorId),
};
