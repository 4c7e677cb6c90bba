import type { Handlers } from '../../../generated/operations.js';
import { auth } from './auth.js';
import { keys } from './keys.js';
import { orders } from './orders.js';
import { platform } from './platform.js';
import { users } from './users.js';

/** One file for each tag of the contract. An operation without a handler does not compile. */
export const handlers: Handlers = { users, orders, auth, keys, platform };
