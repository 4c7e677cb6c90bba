import type { MessageResolvers } from '../../../generated/graphql.js';

export const Message: MessageResolvers = {
  id: ({ id }) => String(id),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
};
