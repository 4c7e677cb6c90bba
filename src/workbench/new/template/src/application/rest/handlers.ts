import { exactly } from '../../../generated/operations.js';
import * as auth from './auth.js';
import * as books from './books.js';
import * as platform from './platform.js';
import * as users from './users.js';

/** Every operation of the contract, by tag. One that is missing, misnamed or too many does not compile. */
export const handlers = exactly({ books, users, auth, platform });
