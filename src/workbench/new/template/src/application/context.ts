import type {
  HandlerServices,
  Context as PlatformContext,
  GraphQLContext as PlatformGraphQLContext,
} from '@accord-api/platform';
import type { policy } from '../../generated/policy.js';
import type { OwnServices } from './services/index.js';

/** The services of the platform, and those of the application. */
type Services = HandlerServices & OwnServices;

/** What the handler of a public REST operation receives besides the request. */
export type Context = PlatformContext<Services, typeof policy>;

/** What a GraphQL resolver receives besides its parent and arguments. */
export type GraphQLContext = PlatformGraphQLContext<Services, typeof policy>;
