import { exactly } from '../../../generated/operations.js';
import * as auth from './auth.js';
// <books>
import * as books from './books.js';
// </books>
import * as platform from './platform.js';
import * as users from './users.js';

/** Every operation of the contract, by tag. One that is missing, misnamed or too many does not compile. */
export const handlers = exactly({
  // <books>
  books,
  // </books>
  users,
  auth,
  platform,
});
