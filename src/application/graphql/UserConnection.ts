import { connection } from 'accord';
import type { UserConnectionResolvers } from '../../../generated/graphql.js';

export const users = connection('usersConnection');

export const UserConnection: UserConnectionResolvers = {
  edges: (page, _args, { services: { cursors } }) => users.edges(page, cursors),
  pageInfo: (page, _args, { services: { cursors } }) => users.pageInfo(page, cursors),
};
