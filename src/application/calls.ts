import type { policy } from '../../generated/policy.js';
import type { Call as PlatformCall } from '../platform/index.js';

/** One call of one operation; by its policy the compiler knows the actions of the contracts. */
export type Call = PlatformCall<typeof policy>;
