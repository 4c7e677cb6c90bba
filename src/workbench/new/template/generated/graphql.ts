// Generated from schema.graphql by `npm run codegen`. Do not edit.

import type { GraphQLResolveInfo } from 'graphql';
import type { User as UserModel, Book as BookModel } from '../src/application/models.js';
import type { GraphQLContext } from '../src/application/context.js';
import type { Decides, NotWritten, ReadByPlatform, Route } from '@accord-api/platform';
import type { FieldOfPart, Decisions } from './policy.js';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string | number; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
};

/** A book that somebody has. */
export type Book = {
  /** The author. */
  author: Scalars['String']['output'];
  /** When it was added: ISO 8601 in UTC. */
  createdAt: Scalars['String']['output'];
  /** The id, the same number as in REST. */
  id: Scalars['ID']['output'];
  /** The id of the user who added it. */
  ownerId: Scalars['ID']['output'];
  /** The title. */
  title: Scalars['String']['output'];
  /** When it was published; `null` where nobody knows. */
  year: Maybe<Scalars['Int']['output']>;
};

/** A new book. */
export type CreateBookInput = {
  /** The author. */
  author: Scalars['String']['input'];
  /** The title. */
  title: Scalars['String']['input'];
  /** When it was published. */
  year?: InputMaybe<Scalars['Int']['input']>;
};

/** The writes. */
export type Mutation = {
  /** Adds a book of the caller's. */
  createBook: Maybe<Book>;
  /** Deletes a book, and gives it as it was. */
  deleteBook: Maybe<Book>;
};


/** The writes. */
export type MutationCreateBookArgs = {
  input: CreateBookInput;
};


/** The writes. */
export type MutationDeleteBookArgs = {
  id: Scalars['ID']['input'];
};

/** The reads. */
export type Query = {
  /** One book by id: `GONE` when it was deleted, `NOT_FOUND` when there never was one. */
  book: Maybe<Book>;
  /** All books by ascending id, one page by position. */
  books: Maybe<Array<Book>>;
  /** The caller's own account. */
  me: Maybe<User>;
};


/** The reads. */
export type QueryBookArgs = {
  id: Scalars['ID']['input'];
};


/** The reads. */
export type QueryBooksArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};

/** The role of an account. */
export type Role =
  /** Everything. */
  | 'ADMIN'
  /** Reads all books, and keeps the caller's own. */
  | 'MEMBER';

/** The events that the server pushes over a WebSocket (graphql-transport-ws). */
export type Subscription = {
  /**
   * Every book that is added, once each. With `since`, those after that id come first, and the live ones follow without a gap: who
   * subscribes again with the last id it got misses none.
   */
  bookAdded: Book;
};


/** The events that the server pushes over a WebSocket (graphql-transport-ws). */
export type SubscriptionBookAddedArgs = {
  since?: InputMaybe<Scalars['ID']['input']>;
};

/** A person with an account. */
export type User = {
  /** When the account was created. */
  createdAt: Scalars['String']['output'];
  /** The e-mail address. */
  email: Scalars['String']['output'];
  /** The id, the same number as in REST. */
  id: Scalars['ID']['output'];
  /** The name. */
  name: Scalars['String']['output'];
  /** The role of the account. */
  role: Role;
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
  Book: ResolverTypeWrapper<BookModel>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  CreateBookInput: CreateBookInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Role: Role;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  User: ResolverTypeWrapper<UserModel>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Book: BookModel;
  Boolean: Scalars['Boolean']['output'];
  CreateBookInput: CreateBookInput;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  Mutation: Record<PropertyKey, never>;
  Query: Record<PropertyKey, never>;
  String: Scalars['String']['output'];
  Subscription: Record<PropertyKey, never>;
  User: UserModel;
};

export type BookFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Book'] = ResolversParentTypes['Book']> = {
  author: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  ownerId: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  title: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  year: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type MutationFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createBook: Resolver<Maybe<ResolversTypes['Book']>, ParentType, ContextType, RequireFields<MutationCreateBookArgs, 'input'>>;
  deleteBook: Resolver<Maybe<ResolversTypes['Book']>, ParentType, ContextType, RequireFields<MutationDeleteBookArgs, 'id'>>;
};

export type QueryFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  book: Resolver<Maybe<ResolversTypes['Book']>, ParentType, ContextType, RequireFields<QueryBookArgs, 'id'>>;
  books: Resolver<Maybe<Array<ResolversTypes['Book']>>, ParentType, ContextType, RequireFields<QueryBooksArgs, 'limit' | 'offset'>>;
  me: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
};

export type SubscriptionFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  bookAdded: SubscriptionResolver<ResolversTypes['Book'], "bookAdded", ParentType, ContextType, Partial<SubscriptionBookAddedArgs>>;
};

export type UserFields<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User']> = {
  createdAt: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  email: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  role: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
};

export type EveryField<ContextType = GraphQLContext> = {
  Book: BookFields<ContextType>;
  Mutation: MutationFields<ContextType>;
  Query: QueryFields<ContextType>;
  Subscription: SubscriptionFields<ContextType>;
  User: UserFields<ContextType>;
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

export interface BookResolvers extends ResolversOf<'Book'> {}

export interface UserResolvers extends ResolversOf<'User'> {}

interface ResolversByType {
  Book: BookResolvers;
  Mutation: MutationRoutes;
  Query: QueryRoutes;
  Subscription: SubscriptionRoutes;
  User: UserResolvers;
}

/** All resolvers by type. A missing, misnamed or mistyped resolver does not compile. */
export interface Resolvers extends Omit<ResolversByType, GivenTypes>, Partial<Pick<ResolversByType, GivenTypes>> {}
