import type { Handlers } from '../../../generated/operations.js';
import { auth } from './auth.js';
import { books } from './books.js';
import { loans } from './loans.js';
import { platform } from './platform.js';
import { users } from './users.js';

/** One file for each tag of the contract. An operation without a handler is a compiler error. */
export const handlers: Handlers = {
  books,
  users,
  auth,
  platform,
  loans,
};
