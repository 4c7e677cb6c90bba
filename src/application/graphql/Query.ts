import { below, page, selects } from 'accord';
import type { QueryResolvers } from '../../../generated/graphql.js';
import { users } from './UserConnection.js';

export const Query: QueryResolvers = {
  me: (_parent, _args, context, info) => context.services.users.me(context.call, below(context, info)),
  user: (_parent, { id }, context, info) => context.services.users.get(context.call, Number(id), below(context, info)),
  users: async (_parent, args, context, info) =>
    (await context.services.users.list(context.call, page(args), below(context, info))).items,
  usersConnection: (_parent, args, context, info) => {
    const { call, services } = context;
    return services.users.connection(call, users.window(args, services.cursors), below(context, info, 'edges', 'node'));
  },
  post: (_parent, { id }, context, info) => context.services.posts.get(context.call, Number(id), below(context, info)),
  posts: (_parent, args, context, info) =>
    context.services.posts.list(context.call, page(args), { content: selects(info, 'content') }, below(context, info)),
  messages: (_parent, { channelId, limit, before }, { call, services }) =>
    services.messages.list(call, {
      channelId,
      limit: limit ?? 20,
      ...(before != null && { before: Number(before) }),
    }),
};
