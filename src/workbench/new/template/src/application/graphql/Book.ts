// <books>
import type { BookResolvers } from '../../../generated/graphql.js';

export const Book: BookResolvers = {
  id: ({ id }) => String(id),
  ownerId: ({ ownerId }) => String(ownerId),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
};
// </books>
