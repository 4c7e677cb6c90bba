import { page, selects } from 'accord';
import type { QueryResolvers } from '../../../generated/graphql.js';
import { users } from './UserConnection.js';

export const Query: QueryResolvers = {
  me: (_parent, _args, { call, services }) => services.users.me(call),
  user: (_parent, { id }, { call, services }) => services.users.get(call, Number(id)),
  users: async (_parent, args, { call, services }) => (await services.users.list(call, page(args))).items,
  usersConnection: (_parent, args, { call, services }) =>
    services.users.connection(call, users.window(args, services.cursors)),
  post: (_parent, { id }, { call, services }) => services.posts.get(call, Number(id)),
  posts: (_parent, args, { call, services }, info) =>
    services.posts.list(call, page(args), { content: selects(info, 'content') }),
  messages: (_parent, { channelId, limit, before }, { call, services }) =>
    services.messages.list(call, {
      channelId,
      limit: limit ?? 20,
      ...(before != null && { before: Number(before) }),
    }),
};
