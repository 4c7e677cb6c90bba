import { failuresOf, type Call as PlatformCall } from '@accord-api/platform';
import { errors } from '../../generated/errors.js';
import type { policy } from '../../generated/policy.js';

/** One call of one operation; by its policy the compiler knows the actions of the contracts. */
export type Call = PlatformCall<typeof policy>;

/** What services throw, with one of the codes of the contract. */
export class Failure extends failuresOf(errors) {}
