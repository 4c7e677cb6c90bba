import type { Resolvers } from '../../../generated/graphql.js';
import { Comment } from './Comment.js';
import { Message } from './Message.js';
import { Mutation } from './Mutation.js';
import { Post } from './Post.js';
import { Query } from './Query.js';
import { Subscription } from './Subscription.js';
import { User } from './User.js';
import { UserConnection } from './UserConnection.js';

/** One file for each type of the SDL; a field without its resolver does not compile. */
export const resolvers: Resolvers = { Query, Mutation, Subscription, User, Post, Comment, Message, UserConnection };
