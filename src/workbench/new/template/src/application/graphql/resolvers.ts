import type { Resolvers } from '../../../generated/graphql.js';
// <books>
import { Book } from './Book.js';
import { Mutation } from './Mutation.js';
// </books>
import { Query } from './Query.js';
// <books>
import { Subscription } from './Subscription.js';
// </books>
import { User } from './User.js';

/** One file for each type of the SDL; a field without its resolver does not compile. */
export const resolvers: Resolvers = {
  Query,
  // <books>
  Mutation,
  Subscription,
  Book,
  // </books>
  User,
};
