import { page } from 'accord';
import type { Role, UserResolvers } from '../../../generated/graphql.js';
import { postsOf } from './loaders.js';

export const User: UserResolvers = {
  id: ({ id }) => String(id),
  role: ({ role }) => role as Role,
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  posts: ({ id }, args, context, info) => postsOf(context, id, page(args), info),
};
