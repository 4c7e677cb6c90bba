import { below, list, page, record } from 'accord';
import type { QueryResolvers } from '../../../generated/graphql.js';
import { Message, Post } from '../models.js';
import { type FieldsOf, route } from '../routes.js';
import { users } from './UserConnection.js';

const posts: Pick<FieldsOf<'Query'>, 'post' | 'posts' | 'messages'> = {
  post: route({ target: record(Post, 'id') }),
  posts: route({ target: list(Post) }),
  messages: route({
    target: list(Message),
    handler: ({ channelId, limit, before }, { db }) =>
      db.newest(Message, channelId, { limit: limit ?? 20, before: before == null ? undefined : Number(before) }),
  }),
};

const accounts: Pick<QueryResolvers, 'me' | 'user' | 'users' | 'usersConnection'> = {
  me: (_parent, _args, context, info) => context.services.users.me(context.call, below(context, info)),
  user: (_parent, { id }, context, info) => context.services.users.get(context.call, Number(id), below(context, info)),
  users: async (_parent, args, context, info) =>
    (await context.services.users.list(context.call, page(args), below(context, info))).items,
  usersConnection: (_parent, args, context, info) => {
    const { call, services } = context;
    return services.users.connection(call, users.window(args, services.cursors), below(context, info, 'edges', 'node'));
  },
};

export const Query = { ...accounts, ...posts };
