import type { Handlers } from '../../../generated/operations.js';
import { auth } from './auth.js';
// <books>
import { books } from './books.js';
// </books>
import { users } from './users.js';

/** One file for each tag of the contract. An operation that neither this application nor a part answers is a compiler error. */
export const handlers: Handlers = {
  // <books>
  books,
  // </books>
  users,
  auth,
};
