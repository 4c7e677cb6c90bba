import { relationResolvers } from 'accord';
import { Mutation } from './Mutation.js';
import { Query } from './Query.js';
import { Subscription } from './Subscription.js';
import { types } from './types.js';
import { UserConnection } from './UserConnection.js';

const rows = Object.fromEntries(
  Object.entries(types).map(([type, { relations }]) => [type, relationResolvers(relations)]),
);

export const resolvers = { ...rows, Query, Mutation, Subscription, UserConnection };
