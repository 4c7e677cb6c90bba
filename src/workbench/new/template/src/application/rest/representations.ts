import { replies } from 'accord';
import type * as Contract from '../../../generated/operations.js';
import type { User } from '../models.js';

/** The replies of users, with their `ETag`. */
export const userReplies = replies<User, Contract.User>({
  represent: ({ id, name, email, role, createdAt }) => ({
    ...{ id, name, email },
    role: role.toLowerCase() as Contract.Role,
    createdAt,
  }),
  href: (id, prefix) => `${prefix}/users/${id}`,
});
