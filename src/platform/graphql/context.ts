import { type Loaders, loaders } from '../../application/graphql/loaders.js';
import type { Call } from '../calls/access.js';
import { type Issues, NO_ISSUES } from '../calls/issues.js';
import type { Services } from '../services.js';

/** What a resolver gets besides its parent and arguments. */
export interface GraphQLContext {
  /** The call of this field: its checkpoint knows what is wrong with the field's own arguments. */
  call: Call;
  /** Makes the call of a field whose arguments have these faults. */
  callWith: (contentIssues: Issues) => Call;
  services: Services;
  /** Reads below many parents at once. */
  load: Loaders;
}

/** The context of one operation, or of one event of a subscription, by whichever way it came. */
export const operationContext = (services: Services, callWith: GraphQLContext['callWith']): GraphQLContext => ({
  call: callWith(NO_ISSUES),
  callWith,
  services,
  load: loaders(services),
});
