import type { Resolvers } from '../../../generated/graphql.js';
import { Book } from './Book.js';
import { Mutation } from './Mutation.js';
import { Query } from './Query.js';
import { Subscription } from './Subscription.js';
import { User } from './User.js';

/** One file for each type of the SDL; a field without its resolver does not compile. */
export const resolvers: Resolvers = { Query, Mutation, Subscription, Book, User };
