import { failuresOf, type Call as PlatformCall } from '@accord-api/platform';
import { errors } from '../../generated/errors.js';
import type { policy } from '../../generated/policy.js';

/** One call of an operation, with the actions of the contracts. */
export type Call = PlatformCall<typeof policy>;

/** The error that services throw, with a code of the contract. */
export class Failure extends failuresOf(errors) {}
