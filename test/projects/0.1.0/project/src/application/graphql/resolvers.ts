import type { Resolvers } from '../../../generated/graphql.js';
import { Mutation } from './Mutation.js';
import { Query } from './Query.js';
import { Subscription } from './Subscription.js';
import { User } from './User.js';

/** One file for each type of the SDL. A type needs none if all its fields are members or relations of its model. */
export const resolvers: Resolvers = { Query, Mutation, Subscription, User };
