import { resourceTag, type User } from 'accord';
import type * as Contract from '../../../generated/operations.js';

const representUser = ({ id, name, email, role, createdAt }: User): Contract.User => ({
  ...{ id, name, email },
  role: role.toLowerCase() as Contract.Role,
  createdAt: createdAt.toISOString(),
});

/** A user, as an answer. */
export const foundUser = (user: User) =>
  ({ status: 200, headers: { etag: resourceTag(user) }, body: representUser(user) }) as const;
