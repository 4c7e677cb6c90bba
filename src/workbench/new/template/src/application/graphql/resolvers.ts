import type { Resolvers } from '../../../generated/graphql.js';
// <books>
import { Mutation } from './Mutation.js';
// </books>
import { Query } from './Query.js';
// <books>
import { Subscription } from './Subscription.js';
// </books>

/** One file for each type of the SDL. A type needs none if all its fields are members or relations of its model. */
// <books>
export const resolvers: Resolvers = { Query, Mutation, Subscription };
// </books>
