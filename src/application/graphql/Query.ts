import { connection, list, record } from '@accord-api/platform';
import type { QueryRoutes } from '../../../generated/graphql.js';
import { Message, Post, User } from '../models.js';
import { route } from '../routes.js';

export const Query: QueryRoutes = {
  user: route({ target: record(User, 'id') }),
  users: route({ target: list(User) }),
  usersConnection: route({ target: connection(User) }),
  post: route({ target: record(Post, 'id') }),
  posts: route({ target: list(Post) }),
  messages: route({
    target: list(Message),
    handler: ({ channelId, limit, before }, { db, services }) =>
      services.messages.newest(db, channelId, {
        limit: limit ?? 20,
        before: before == null ? undefined : Number(before),
      }),
  }),
};
