import type { Resolvers } from '../../../generated/graphql.js';
// <books>
import { Mutation } from './Mutation.js';
// </books>
import { Query } from './Query.js';
// <books>
import { Subscription } from './Subscription.js';
// </books>
import { User } from './User.js';

/** One file for each type of the SDL. A type whose fields are members and relations of its model needs none. */
// <books>
export const resolvers: Resolvers = { Query, Mutation, Subscription, User };
// </books>
