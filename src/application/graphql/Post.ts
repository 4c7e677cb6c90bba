import { page } from 'accord';
import type { PostResolvers } from '../../../generated/graphql.js';
import { commentsOn, userBelow } from './loaders.js';

export const Post: PostResolvers = {
  id: ({ id }) => String(id),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  author: ({ authorId }, _args, context) => userBelow(context, authorId),
  comments: ({ id }, args, context) => commentsOn(context, id, page(args)),
};
