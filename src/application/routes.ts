import { type PlatformServices, type RestRoutes, type RootRoutes, routeFor } from 'accord';
import type { EveryField } from '../../generated/graphql.js';
import type { Handlers } from '../../generated/operations.js';
import type { operations, policy } from '../../generated/policy.js';
import type { OwnServices } from './services/index.js';

/** Says one route: `route({ target, handler, reply })`. */
export const route = routeFor<
  Omit<PlatformServices, 'client' | 'statements' | 'operations' | 'idempotency'> & OwnServices
>();

/** The routes of a tag of openapi.yaml. */
export type RoutesOf<Tag extends keyof Handlers> = RestRoutes<Handlers[Tag], typeof operations, typeof policy>;

/** The routes of the root fields of a type of schema.graphql. */
export type FieldsOf<Type extends 'Query' | 'Mutation' | 'Subscription'> = RootRoutes<
  Type,
  EveryField[Type],
  typeof operations,
  typeof policy
>;
