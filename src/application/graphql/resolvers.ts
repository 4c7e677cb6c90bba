import type { Resolvers } from '../../../generated/graphql.js';
import { notWritten } from '../../platform/calls/errors.js';
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

/** The fields that are deliberately not written yet, as `Type.field`. */
export const notWrittenFields = (): string[] =>
  Object.entries(resolvers).flatMap(([type, fields]) =>
    Object.entries(fields as Record<string, unknown>)
      .filter(([, field]) => field === notWritten || (field as { subscribe?: unknown }).subscribe === notWritten)
      .map(([field]) => `${type}.${field}`),
  );
