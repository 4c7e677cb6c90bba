// Generated from schema.graphql by `npm run codegen`. Do not edit.

import type { GraphQLResolveInfo } from 'graphql';
import type { User as UserModel, Post as PostModel, Comment as CommentModel, Message as MessageModel } from '../src/application/models.js';
import type { GraphQLContext } from '../src/application/context.js';
import type { Decides, NotWritten, ReadByPlatform, Route } from '@accord-api/platform';
import type { FieldOfPart, Decisions } from './policy.js';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string | number; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
};

/** A remark on a post. It is deleted together with its author or its post. */
export type Comment = {
  /** The user who wrote the comment. */
  author: User;
  /** When the comment was created: ISO 8601, UTC, with milliseconds. */
  createdAt: Scalars['String']['output'];
  /** The id of the comment. */
  id: Scalars['ID']['output'];
  /** The text, 1 to 2,000 characters. */
  text: Scalars['String']['output'];
};

/** The members of a new account. */
export type CreateUserInput = {
  /**
   * The e-mail address, at most 254 characters. Its spelling is kept; it must be unique without regard to case
   * (`CONFLICT`).
   */
  email: Scalars['String']['input'];
  /** The name, 1 to 100 characters after trimming, one line. */
  name: Scalars['String']['input'];
  /**
   * The password, 12 to 128 characters and none of the commonest ones (`VALIDATION_FAILED`). It is never shown. Without
   * one the account cannot log in until one is set by `PUT /api/v1/users/{user_id}/password`.
   */
  password?: InputMaybe<Scalars['String']['input']>;
  /** The role of the account. */
  role: Role;
};

/** The result of a successful delete. A delete that fails has no result: the field is `null`, and `errors` says why. */
export type DeleteResult = {
  /** The deleted row in words for people; not meant to be parsed. */
  message: Scalars['String']['output'];
  /** Always `true`: it is gone. */
  success: Scalars['Boolean']['output'];
};

/**
 * A message in a channel. Messages are not edited; they are deleted singly or together with their author. A channel is no
 * more than its id: it exists as soon as somebody writes to it.
 */
export type Message = {
  /** The user who wrote the message. */
  author: User;
  /** The channel that the message is in. */
  channelId: Scalars['ID']['output'];
  /** When the message was added: ISO 8601, UTC, with milliseconds. */
  createdAt: Scalars['String']['output'];
  /** The id of the message. Within a channel, ids ascend in the order in which the messages were added. */
  id: Scalars['ID']['output'];
  /** The text, 1 to 2,000 characters. */
  text: Scalars['String']['output'];
};

/** The writes. An answer is sent when the change is stored for good. */
export type Mutation = {
  /**
   * Comments on a post, anyone's, in the caller's name. Developers and administrators.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (the caller is a viewer), `NOT_FOUND`
   * (there never was such a post), `GONE` (the post was deleted), `VALIDATION_FAILED` (the text breaks its constraint),
   * and the common ones.
   */
  addComment: Maybe<Comment>;
  /**
   * Adds a message to a channel in the caller's name. Developers and administrators. Every subscriber of `messageAdded` on
   * that channel gets it once it is stored.
   *
   * Errors: `FORBIDDEN` (the caller is a viewer), `VALIDATION_FAILED` (`channelId` or `text` breaks its constraint), and
   * the common ones.
   */
  addMessage: Maybe<Message>;
  /**
   * Publishes a post in the caller's name. Developers and administrators.
   *
   * Errors: `FORBIDDEN` (the caller is a viewer), `VALIDATION_FAILED` (title or content breaks its constraint), and the
   * common ones.
   */
  createPost: Maybe<Post>;
  /**
   * Creates an account. Administrators only.
   *
   * Errors: `FORBIDDEN` (the caller is no administrator), `CONFLICT` (the e-mail address is taken), `VALIDATION_FAILED`
   * (name, e-mail address or password breaks its constraint), and the common ones.
   */
  createUser: Maybe<User>;
  /**
   * Deletes a comment: a developer's own, or anyone's as an administrator.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (the caller is a viewer, or a
   * developer and the comment another's), `NOT_FOUND` (no such comment, or deleted before), and the common ones.
   */
  deleteComment: Maybe<DeleteResult>;
  /**
   * Deletes a message: a developer's own, or anyone's as an administrator. Subscribers get no event, and `since` does
   * not return it.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (the caller is a viewer, or a
   * developer and the message another's), `NOT_FOUND` (no such message, or deleted before), and the common ones.
   */
  deleteMessage: Maybe<DeleteResult>;
  /**
   * Deletes a post and the comments on it: a developer's own, or anyone's as an administrator.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (the caller is a viewer, or a
   * developer and the post another's), `NOT_FOUND` (no such post, or deleted before), and the common ones.
   */
  deletePost: Maybe<DeleteResult>;
  /**
   * Deletes an account, one's own, or anyone's as an administrator, and with it the user's posts, comments, messages,
   * orders and tokens, and the comments of others on those posts. It is all or nothing, and final. Access tokens of the
   * user are refused within a second, and nothing is written by them meanwhile.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (another's account, whether or not it
   * exists), `NOT_FOUND` (no such user, or deleted before), `CONFLICT` (the last administrator, or an order of the user is
   * being paid), and the common ones.
   */
  deleteUser: Maybe<DeleteResult>;
  /**
   * Changes a comment: a developer's own, or anyone's as an administrator.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (the caller is a viewer, or a
   * developer and the comment another's), `NOT_FOUND` (there never was such a comment), `GONE` (the comment was deleted),
   * `VALIDATION_FAILED` (the text breaks its constraint), and the common ones.
   */
  updateComment: Maybe<Comment>;
  /**
   * Changes a post: a developer's own, or anyone's as an administrator. Omitted members stay as they are.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1; `title` given as `null`), `FORBIDDEN` (the caller
   * is a viewer, or a developer and the post another's), `NOT_FOUND` (there never was such a post), `GONE` (the post was
   * deleted), `VALIDATION_FAILED` (title or content breaks its constraint), and the common ones.
   */
  updatePost: Maybe<Post>;
  /**
   * Changes the name of an account: one's own, or anyone's as an administrator. E-mail address and role are changed over
   * REST.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `FORBIDDEN` (another's account, whether or not it
   * exists), `NOT_FOUND` (there never was such a user), `GONE` (the user was deleted), `VALIDATION_FAILED` (the name
   * breaks its constraint), and the common ones.
   */
  updateUser: Maybe<User>;
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationAddCommentArgs = {
  postId: Scalars['ID']['input'];
  text: Scalars['String']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationAddMessageArgs = {
  channelId: Scalars['ID']['input'];
  text: Scalars['String']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationCreatePostArgs = {
  content?: InputMaybe<Scalars['String']['input']>;
  title: Scalars['String']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationCreateUserArgs = {
  input: CreateUserInput;
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationDeleteCommentArgs = {
  id: Scalars['ID']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationDeleteMessageArgs = {
  id: Scalars['ID']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationDeletePostArgs = {
  id: Scalars['ID']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationDeleteUserArgs = {
  id: Scalars['ID']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationUpdateCommentArgs = {
  id: Scalars['ID']['input'];
  text: Scalars['String']['input'];
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationUpdatePostArgs = {
  content?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['ID']['input'];
  title?: InputMaybe<Scalars['String']['input']>;
};


/** The writes. An answer is sent when the change is stored for good. */
export type MutationUpdateUserArgs = {
  id: Scalars['ID']['input'];
  name: Scalars['String']['input'];
};

/** The position of a page in the whole list, by the Relay cursor connections specification. */
export type PageInfo = {
  /** The cursor of the last edge, for `after`; `null` for an empty page. */
  endCursor: Maybe<Scalars['String']['output']>;
  /**
   * True if more entries follow the page. Exact when paging forwards (`first`); when paging backwards, true if there is an
   * entry from `before` on.
   */
  hasNextPage: Scalars['Boolean']['output'];
  /**
   * True if more entries precede the page. Exact when paging backwards (`last`); when paging forwards, true if there is an
   * entry up to `after`.
   */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first edge, for `before`; `null` for an empty page. */
  startCursor: Maybe<Scalars['String']['output']>;
};

/** A text that a user published. It is deleted together with its author. */
export type Post = {
  /** The user who wrote the post. */
  author: User;
  /**
   * The comments on the post, by ascending id. `VALIDATION_FAILED` for a `limit` or `offset` out of range: the list is not
   * nullable, so the nearest nullable field above becomes `null`.
   */
  comments: Array<Comment>;
  /** The text, up to 20,000 characters; `null` where the post has none. */
  content: Maybe<Scalars['String']['output']>;
  /** When the post was created: ISO 8601, UTC, with milliseconds. */
  createdAt: Scalars['String']['output'];
  /** The id of the post. */
  id: Scalars['ID']['output'];
  /** The title, 1 to 200 characters. */
  title: Scalars['String']['output'];
};


/** A text that a user published. It is deleted together with its author. */
export type PostCommentsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};

/** The reads. Every role may read everything that is reachable here. */
export type Query = {
  /**
   * The caller's own account.
   *
   * Errors: the common ones. A credential whose user was deleted is `UNAUTHENTICATED`, or `GONE` in the second that the
   * deletion takes to reach every instance.
   */
  me: Maybe<User>;
  /**
   * The newest messages of a channel, by ascending id: the newest is the last of the list. To go back in the history, give
   * the id of the first one as `before`. A channel that nobody wrote to is an empty list.
   *
   * Errors: `BAD_REQUEST` (a `before` that is not an integer of at least 1), `VALIDATION_FAILED` (`channelId` or `limit`
   * breaks its constraint), and the common ones.
   */
  messages: Maybe<Array<Message>>;
  /**
   * One post by id.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `NOT_FOUND` (there never was such a post), `GONE`
   * (the post was deleted), and the common ones.
   */
  post: Maybe<Post>;
  /**
   * All posts by ascending id, one page by position. A page past the end is empty.
   *
   * Errors: `VALIDATION_FAILED` (`limit` or `offset` out of range), and the common ones.
   */
  posts: Maybe<Array<Post>>;
  /**
   * One user by id. An unknown id gives `null` in `data` and one entry in `errors`.
   *
   * Errors: `BAD_REQUEST` (an id that is not an integer of at least 1), `NOT_FOUND` (there never was such a user), `GONE`
   * (the user was deleted), and the common ones.
   */
  user: Maybe<User>;
  /**
   * All users by ascending id, one page by position. A page past the end is empty. `usersConnection` stays right while
   * users are added and deleted; this one can skip or repeat some.
   *
   * Errors: `VALIDATION_FAILED` (`limit` or `offset` out of range), and the common ones.
   */
  users: Maybe<Array<User>>;
  /**
   * All users by ascending id, by the Relay cursor connections specification: `first` with `after` pages forwards, `last`
   * with `before` backwards. With neither `first` nor `last` it gives the first 20.
   *
   * Errors: `BAD_REQUEST` (a cursor that this list did not give; `first` together with `last`), `VALIDATION_FAILED`
   * (`first` or `last` out of range), and the common ones.
   */
  usersConnection: Maybe<UserConnection>;
};


/** The reads. Every role may read everything that is reachable here. */
export type QueryMessagesArgs = {
  before?: InputMaybe<Scalars['ID']['input']>;
  channelId: Scalars['ID']['input'];
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** The reads. Every role may read everything that is reachable here. */
export type QueryPostArgs = {
  id: Scalars['ID']['input'];
};


/** The reads. Every role may read everything that is reachable here. */
export type QueryPostsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};


/** The reads. Every role may read everything that is reachable here. */
export type QueryUserArgs = {
  id: Scalars['ID']['input'];
};


/** The reads. Every role may read everything that is reachable here. */
export type QueryUsersArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};


/** The reads. Every role may read everything that is reachable here. */
export type QueryUsersConnectionArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** The role of an account. REST writes the same names in lower case. */
export type Role =
  /** Everything: creates users, sets roles, and changes or deletes what belongs to anyone, orders included. */
  | 'ADMIN'
  /** Reads everything, writes posts, comments and messages, and changes or deletes what is the caller's own. */
  | 'DEVELOPER'
  /**
   * Reads everything but the orders of others, and keeps the caller's own account and orders; writes no posts, comments or
   * messages.
   */
  | 'VIEWER';

/** The events that the server pushes over a WebSocket on `/graphql` in the sub-protocol `graphql-transport-ws`. */
export type Subscription = {
  /**
   * Every message that is added to a channel, once each, in the order of the ids. Every role may subscribe.
   *
   * Without `since` it starts with the first message added after the subscription. With `since`, the stored messages of
   * the channel after that id come first and the live ones follow, without a gap and without a repeat. A client that keeps
   * the id of the last message it got, and subscribes again with it after a lost connection, misses no message.
   *
   * Errors, sent as `error` in place of a first result: `BAD_REQUEST` (a `since` that is not an integer of at least 0, or is
   * greater than the last id of any message; the socket has 100 subscriptions already), `VALIDATION_FAILED` (`channelId` breaks its constraint), and the common ones. A
   * credential that is refused or expires closes the socket (4403).
   */
  messageAdded: Message;
};


/** The events that the server pushes over a WebSocket on `/graphql` in the sub-protocol `graphql-transport-ws`. */
export type SubscriptionMessageAddedArgs = {
  channelId: Scalars['ID']['input'];
  since?: InputMaybe<Scalars['ID']['input']>;
};

/** An account: a person who logs in, and the author of posts, comments and messages. */
export type User = {
  /** When the account was created: ISO 8601, UTC, with milliseconds. */
  createdAt: Scalars['String']['output'];
  /** The e-mail address, spelt as it was given. Unique without regard to case. */
  email: Scalars['String']['output'];
  /** The id, the same number as in REST. It is never given again, not even after a deletion. */
  id: Scalars['ID']['output'];
  /** The name, 1 to 100 characters, without white space at either end. */
  name: Scalars['String']['output'];
  /**
   * The posts that the user wrote, by ascending id. `VALIDATION_FAILED` for a `limit` or `offset` out of range: the list
   * is not nullable, so the nearest nullable field above becomes `null`.
   */
  posts: Array<Post>;
  /** The role, which decides what the account may do. */
  role: Role;
};


/** An account: a person who logs in, and the author of posts, comments and messages. */
export type UserPostsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of users, by the Relay cursor connections specification. */
export type UserConnection = {
  /** The users of the page, each with its cursor, by ascending id. */
  edges: Array<UserEdge>;
  /** The position of the page in the whole list. */
  pageInfo: PageInfo;
};

/** A user's place in a connection. */
export type UserEdge = {
  /** The opaque cursor of this place, for `after` and `before`. It stays right while users are added and deleted. */
  cursor: Scalars['String']['output'];
  /** The user. */
  node: User;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Comment: ResolverTypeWrapper<CommentModel>;
  CreateUserInput: CreateUserInput;
  DeleteResult: ResolverTypeWrapper<DeleteResult>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Message: ResolverTypeWrapper<MessageModel>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Post: ResolverTypeWrapper<PostModel>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Role: Role;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  User: ResolverTypeWrapper<UserModel>;
  UserConnection: ResolverTypeWrapper<Omit<UserConnection, 'edges'> & { edges: Array<ResolversTypes['UserEdge']> }>;
  UserEdge: ResolverTypeWrapper<Omit<UserEdge, 'node'> & { node: ResolversTypes['User'] }>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  Comment: CommentModel;
  CreateUserInput: CreateUserInput;
  DeleteResult: DeleteResult;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  Message: MessageModel;
  Mutation: Record<PropertyKey, never>;
  PageInfo: PageInfo;
  Post: PostModel;
  Query: Record<PropertyKey, never>;
  String: Scalars['String']['output'];
  Subscription: Record<PropertyKey, never>;
  User: UserModel;
  UserConnection: Omit<UserConnection, 'edges'> & { edges: Array<ResolversParentTypes['UserEdge']> };
  UserEdge: Omit<UserEdge, 'node'> & { node: ResolversParentTypes['User'] };
};

export type CommentFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Comment'] = ResolversParentTypes['Comment']> = {
  author: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  createdAt: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  text: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DeleteResultFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DeleteResult'] = ResolversParentTypes['DeleteResult']> = {
  message: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  success: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type MessageFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Message'] = ResolversParentTypes['Message']> = {
  author: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  channelId: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  createdAt: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  text: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MutationFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  addComment: Resolver<Maybe<ResolversTypes['Comment']>, ParentType, ContextType, RequireFields<MutationAddCommentArgs, 'postId' | 'text'>>;
  addMessage: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType, RequireFields<MutationAddMessageArgs, 'channelId' | 'text'>>;
  createPost: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<MutationCreatePostArgs, 'title'>>;
  createUser: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationCreateUserArgs, 'input'>>;
  deleteComment: Resolver<Maybe<ResolversTypes['DeleteResult']>, ParentType, ContextType, RequireFields<MutationDeleteCommentArgs, 'id'>>;
  deleteMessage: Resolver<Maybe<ResolversTypes['DeleteResult']>, ParentType, ContextType, RequireFields<MutationDeleteMessageArgs, 'id'>>;
  deletePost: Resolver<Maybe<ResolversTypes['DeleteResult']>, ParentType, ContextType, RequireFields<MutationDeletePostArgs, 'id'>>;
  deleteUser: Resolver<Maybe<ResolversTypes['DeleteResult']>, ParentType, ContextType, RequireFields<MutationDeleteUserArgs, 'id'>>;
  updateComment: Resolver<Maybe<ResolversTypes['Comment']>, ParentType, ContextType, RequireFields<MutationUpdateCommentArgs, 'id' | 'text'>>;
  updatePost: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<MutationUpdatePostArgs, 'id'>>;
  updateUser: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationUpdateUserArgs, 'id' | 'name'>>;
};

export type PageInfoFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PostFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Post'] = ResolversParentTypes['Post']> = {
  author: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  comments: Resolver<Array<ResolversTypes['Comment']>, ParentType, ContextType, RequireFields<PostCommentsArgs, 'limit' | 'offset'>>;
  content: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  title: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type QueryFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  me: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  messages: Resolver<Maybe<Array<ResolversTypes['Message']>>, ParentType, ContextType, RequireFields<QueryMessagesArgs, 'channelId' | 'limit'>>;
  post: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<QueryPostArgs, 'id'>>;
  posts: Resolver<Maybe<Array<ResolversTypes['Post']>>, ParentType, ContextType, RequireFields<QueryPostsArgs, 'limit' | 'offset'>>;
  user: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<QueryUserArgs, 'id'>>;
  users: Resolver<Maybe<Array<ResolversTypes['User']>>, ParentType, ContextType, RequireFields<QueryUsersArgs, 'limit' | 'offset'>>;
  usersConnection: Resolver<Maybe<ResolversTypes['UserConnection']>, ParentType, ContextType, Partial<QueryUsersConnectionArgs>>;
};

export type SubscriptionFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  messageAdded: SubscriptionResolver<ResolversTypes['Message'], "messageAdded", ParentType, ContextType, RequireFields<SubscriptionMessageAddedArgs, 'channelId'>>;
};

export type UserFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User']> = {
  createdAt: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  email: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  posts: Resolver<Array<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<UserPostsArgs, 'limit' | 'offset'>>;
  role: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
};

export type UserConnectionFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UserConnection'] = ResolversParentTypes['UserConnection']> = {
  edges: Resolver<Array<ResolversTypes['UserEdge']>, ParentType, ContextType>;
  pageInfo: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type UserEdgeFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UserEdge'] = ResolversParentTypes['UserEdge']> = {
  cursor: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type EveryField<ContextType = GraphQLContext> = {
  Comment: CommentFields<ContextType>;
  DeleteResult: DeleteResultFields<ContextType>;
  Message: MessageFields<ContextType>;
  Mutation: MutationFields<ContextType>;
  PageInfo: PageInfoFields<ContextType>;
  Post: PostFields<ContextType>;
  Query: QueryFields<ContextType>;
  Subscription: SubscriptionFields<ContextType>;
  User: UserFields<ContextType>;
  UserConnection: UserConnectionFields<ContextType>;
  UserEdge: UserEdgeFields<ContextType>;
};


type ResultOf<Each> = Each extends ResolverFn<infer Result, any, any, any> ? Result : never;

/** The fields of a type that its model has under the same name and type, and the relations of the model. */
type Given<Type extends keyof EveryField> = Type extends 'Query' | 'Mutation' | 'Subscription'
  ? never
  : {
      // The resolver of the interface or union decides the type of a value.
      [Field in keyof EveryField[Type]]-?: Field extends '__isTypeOf'
        ? Field
        : `${Type}.${Field & string}` extends FieldOfPart
        ? Field
        : Field extends ReadByPlatform<Type, ResolversParentTypes[Type]>
        ? Field
        : Field extends keyof ResolversParentTypes[Type]
          ? ResolversParentTypes[Type][Field] extends ResultOf<EveryField[Type][Field]>
            ? Field
            : never
          : never;
    }[keyof EveryField[Type]];

/** The resolvers of one type. Given fields need none. */
type ResolversOf<Type extends keyof EveryField> = Omit<EveryField[Type], Given<Type>> &
  Partial<Pick<EveryField[Type], Given<Type>>>;

/** The types whose fields all need no resolver. */
type GivenTypes = {
  [Type in keyof EveryField]: Exclude<keyof EveryField[Type], Given<Type>> extends never ? Type : never;
}[keyof EveryField];


/** Parts answer the optional fields. */
type Unanswered<Root extends string, Every> = {
  [Field in keyof Every as `${Root}.${Field & string}` extends FieldOfPart ? never : Field]: Every[Field];
} & { [Field in keyof Every as `${Root}.${Field & string}` extends FieldOfPart ? Field : never]?: Every[Field] };

/** The decision that the target of a route must make. */
type DecisionOf<Name> = Name extends keyof Decisions ? Decisions[Name] : Decides;
type ArgsOf<Each> = Each extends ResolverFn<any, any, any, infer Args> ? Args : Each extends SubscriptionResolver<any, any, any, any, infer Args> ? Args : never;
type RouteOf<Each, By extends Decides> = Route<ArgsOf<Each>, Awaited<ResultOf<Each>>, By> | NotWritten;
type EventOf<Each> = [Each] extends [SubscriptionResolver<infer Event, any, any, any, any>] ? Awaited<Event> : never;
/** A handler returns the events. A route without a handler follows the stream of a model. */
type SourceRouteOf<Each, By extends Decides> = Route<ArgsOf<Each>, AsyncIterable<EventOf<Each>>, By> | NotWritten;

type EveryMutationRoute = {
  [Field in keyof MutationFields]: RouteOf<MutationFields[Field], DecisionOf<`Mutation.${Field}`>>;
};

/** The routes of the fields of Mutation. */
export type MutationRoutes = Unanswered<'Mutation', EveryMutationRoute>;

type EveryQueryRoute = {
  [Field in keyof QueryFields]: RouteOf<QueryFields[Field], DecisionOf<`Query.${Field}`>>;
};

/** The routes of the fields of Query. */
export type QueryRoutes = Unanswered<'Query', EveryQueryRoute>;

type EverySubscriptionRoute = {
  [Field in keyof SubscriptionFields]: SourceRouteOf<SubscriptionFields[Field], DecisionOf<`Subscription.${Field}`>>;
};

/** The routes of the fields of Subscription. */
export type SubscriptionRoutes = Unanswered<'Subscription', EverySubscriptionRoute>;

export interface CommentResolvers extends ResolversOf<'Comment'> {}

export interface DeleteResultResolvers extends ResolversOf<'DeleteResult'> {}

export interface MessageResolvers extends ResolversOf<'Message'> {}

export interface PageInfoResolvers extends ResolversOf<'PageInfo'> {}

export interface PostResolvers extends ResolversOf<'Post'> {}

export interface UserResolvers extends ResolversOf<'User'> {}

export interface UserConnectionResolvers extends ResolversOf<'UserConnection'> {}

export interface UserEdgeResolvers extends ResolversOf<'UserEdge'> {}

interface ResolversByType {
  Comment: CommentResolvers;
  DeleteResult: DeleteResultResolvers;
  Message: MessageResolvers;
  Mutation: MutationRoutes;
  PageInfo: PageInfoResolvers;
  Post: PostResolvers;
  Query: QueryRoutes;
  Subscription: SubscriptionRoutes;
  User: UserResolvers;
  UserConnection: UserConnectionResolvers;
  UserEdge: UserEdgeResolvers;
}

/** All resolvers by type. A missing, misnamed or mistyped resolver does not compile. */
export interface Resolvers extends Omit<ResolversByType, GivenTypes>, Partial<Pick<ResolversByType, GivenTypes>> {}
