import type {
  HandlerServices,
  Context as PlatformContext,
  GraphQLContext as PlatformGraphQLContext,
} from '@accord-api/platform';
import type { policy } from '../../generated/policy.js';
import type { OwnServices } from './services/index.js';

/** All services: the platform's, and those of the application. */
type Services = HandlerServices & OwnServices;

/** What a REST handler gets besides the request. */
export type Context = PlatformContext<Services, typeof policy>;

/** What a GraphQL resolver gets besides its parent and arguments. */
export type GraphQLContext = PlatformGraphQLContext<Services, typeof policy>;
