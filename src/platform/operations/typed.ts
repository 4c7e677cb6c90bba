import type { Policy } from '../calls/access.js';
import type { Decides } from './target.js';
import type { Route } from './route.js';

type ReachesOf<Rules extends Policy, Action> = Action extends keyof Rules ? Rules[Action][keyof Rules[Action]] : never;

/**
 * What a target has to decide: where a role reaches its own and another reaches any, whose the row is; where nobody reaches further
 * than its own, the caller's own new row will do.
 */
type Needed<Reach> = 'own' extends Reach ? ('any' extends Reach ? 'owner' : 'owner' | 'self') : Decides;

/** The routes of the operations of a tag: one whose action reaches `own`, and whose target does not say whose it is, does not compile. */
export type RestRoutes<Handlers, Operations, Rules extends Policy> = {
  readonly [Name in keyof Handlers]: Handlers[Name] extends (
    request: infer Request,
    context: never,
  ) => Promise<infer Result>
    ? Route<Request, Result, Needed<ReachesOf<Rules, Operations[Name & keyof Operations]>>>
    : never;
};

type ActionOfField<Operations, Type extends string, Field> = Field extends string
  ? Operations[`${Type}.${Field}` & keyof Operations]
  : never;

/** The same for the root fields of a type of the SDL. */
export type RootRoutes<Type extends string, Fields, Operations, Rules extends Policy> = {
  readonly [Name in keyof Fields]: Fields[Name] extends infer Resolver
    ? Type extends 'Subscription'
      ? // biome-ignore lint/suspicious/noExplicitAny: see below.
        Route<any, AsyncIterable<never>, Needed<ReachesOf<Rules, ActionOfField<Operations, Type, Name>>>>
      : Extract<Resolver, (...args: never[]) => unknown> extends (
            parent: never,
            args: infer Args,
            ...rest: never[]
          ) => infer Result
        ? Route<Args, Awaited<Result>, Needed<ReachesOf<Rules, ActionOfField<Operations, Type, Name>>>>
        : // biome-ignore lint/suspicious/noExplicitAny: a prototype; codegen would say the arguments of a subscription.
          Route<any, AsyncIterable<never>, Needed<ReachesOf<Rules, ActionOfField<Operations, Type, Name>>>>
    : never;
};
