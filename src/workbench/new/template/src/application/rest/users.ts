import { create, record, removal, type UserFields } from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import type { Role } from '../../../generated/policy.js';
import { User } from '../models.js';
import { route } from '../routes.js';
import { userReplies } from './representations.js';

const { ok, noContent } = userReplies;

/** Roles are lower case on REST and upper case everywhere else. */
const toRole = (role: Contract.Role): Role => role.toUpperCase() as Uppercase<Contract.Role>;

/** The members that the request names: Prisma leaves the others as they are. */
const toFields = ({ role, ...rest }: Contract.UpdateUserRequestBody): Partial<UserFields> => ({
  ...rest,
  ...(role !== undefined && { role: toRole(role) }),
});

export const users = Contract.usersHandlers({
  createUser: route({
    target: create(User),
    handler: ({ body }, { db, services }) => services.users.create(db, { ...body, role: toRole(body.role) }),
    reply: (user, context) => ({ ...ok(user, context), status: 201 }) as const,
  }),

  updateUser: route({
    target: record(User, 'user_id'),
    handler: ({ body }, { db, record: { id } }) => db.user.update({ where: { id }, data: toFields(body) }),
    reply: ok,
  }),

  deleteUser: route({ target: removal(User, 'user_id'), reply: noContent }),

  changePassword: route({
    // Hashing takes time: the transaction begins after it.
    target: record(User, 'user_id', { late: true }),
    async handler({ body }, { db, record: user, services }) {
      const change = { currentPassword: body.current_password, newPassword: body.new_password };
      await services.changePassword(db, user, change);
      return noContent();
    },
  }),
});
