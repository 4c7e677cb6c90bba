import type { Handlers } from '../../../generated/operations.js';
import { auth } from './auth.js';
import { orders } from './orders.js';
import { platform } from './platform.js';
import { users } from './users.js';

/** One file for each tag of the contract. Parts answer logins, sessions, keys, health and the published contracts (`x-parts`). */
export const handlers: Handlers = { users, orders, auth, platform };
