import type { Resolvers } from '../../../generated/graphql.js';
import { Mutation } from './Mutation.js';
import { Query } from './Query.js';
import { Subscription } from './Subscription.js';

/** One file for each type of the SDL. A type whose fields are members and relations of its model needs no file, and parts answer `Query.me`. */
export const resolvers: Resolvers = { Query, Mutation, Subscription };
