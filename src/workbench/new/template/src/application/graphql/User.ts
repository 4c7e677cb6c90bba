import type { Role, UserResolvers } from '../../../generated/graphql.js';

export const User: UserResolvers = {
  id: ({ id }) => String(id),
  role: ({ role }) => role as Role,
  createdAt: ({ createdAt }) => createdAt.toISOString(),
};
