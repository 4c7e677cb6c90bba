import { isReferenceViolation } from '../database/client.js';
import { Failure } from './errors.js';

/**
 * What somebody writes belongs to an account. An access token outlives its account by the second that a deletion takes to
 * reach every instance, and in that second the foreign key is what refuses.
 * @throws Failure UNAUTHENTICATED when the account is gone
 */
export const byLivingAuthor = <T>(write: Promise<T>): Promise<T> =>
  write.catch((error: unknown) => {
    if (!isReferenceViolation(error)) throw error;
    throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token', cause: error });
  });
