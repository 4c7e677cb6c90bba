import type {
  HandlerServices,
  Context as PlatformContext,
  GraphQLContext as PlatformGraphQLContext,
} from '@accord-api/platform';
import type { policy } from '../../generated/policy.js';
import type { OwnServices } from './services/index.js';

type Services = HandlerServices & OwnServices;

/** The second argument of the handler of a public REST operation. */
export type Context = PlatformContext<Services, typeof policy>;

/** The third argument of a GraphQL resolver. */
export type GraphQLContext = PlatformGraphQLContext<Services, typeof policy>;
