import type { UserResolvers } from '../../../generated/graphql.js';
import { page } from '../../platform/graphql/page.js';

export const User: UserResolvers = {
  id: ({ id }) => String(id),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  posts: ({ id }, args, { call, load }, info) => load.postsOf(call, id, page(args), info),
};
