import type { PostResolvers } from '../../../generated/graphql.js';
import { page } from '../../platform/graphql/page.js';

export const Post: PostResolvers = {
  id: ({ id }) => String(id),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  author: ({ authorId }, _args, { call, load }) => load.user(call, authorId),
  comments: ({ id }, args, { call, load }) => load.commentsOn(call, id, page(args)),
};
