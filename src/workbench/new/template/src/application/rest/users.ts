import { ifMatch, type UserFields } from 'accord';
import * as Contract from '../../../generated/operations.js';
import type { Role } from '../../../generated/policy.js';
import { foundUser } from './representations.js';

/** Roles are lower case on REST and upper case everywhere else. */
const toRole = (role: Contract.Role): Role => role.toUpperCase() as Uppercase<Contract.Role>;

/** Only the members that were given: the service leaves the others as they are. */
const toFields = ({ role, ...rest }: Contract.UpdateUserRequestBody): Partial<UserFields> => ({
  ...rest,
  ...(role !== undefined && { role: toRole(role) }),
});

export const users = Contract.usersHandlers({
  createUser: ({ body }, { call, services }) =>
    services.users.create(call, { ...body, role: toRole(body.role) }, (user) => ({ ...foundUser(user), status: 201 })),

  updateUser: async ({ path, headers, body }, { call, services }) =>
    foundUser(await services.users.update(call, path.user_id, toFields(body), ifMatch(headers['if-match']))),

  deleteUser: async ({ path, headers }, { call, services }) => {
    await services.users.delete(call, path.user_id, ifMatch(headers['if-match']));
    return { status: 204 };
  },

  changePassword: async ({ path, body }, { call, services }) => {
    const change = { currentPassword: body.current_password, newPassword: body.new_password };
    await services.changePassword(call, path.user_id, change);
    return { status: 204 };
  },
});
