import { ifMatch, preference, representPage, resourceTag, type User, type UserFields } from 'accord';
import * as Contract from '../../../generated/operations.js';
import { hrefOfUser, representUser, toRole } from './representations.js';

/** Only the members that were given: the service leaves the others as they are. */
const toFields = ({ role, ...rest }: Contract.UpdateUserRequestBody): Partial<UserFields> => ({
  ...rest,
  ...(role !== undefined && { role: toRole(role) }),
});

export const users = Contract.usersHandlers({
  listUsers: async ({ query }, { call, services, page, pathname, prefix }) => {
    const users = await services.users.list(call, page);
    return {
      status: 200,
      ...representPage(page, users, {
        pathname,
        query,
        cursors: services.cursors,
        represent: (user) => representUser(user, prefix),
      }),
    };
  },

  getUser: async ({ path }, { call, services, prefix }) => {
    const user = await services.users.get(call, path.user_id);
    return { status: 200, headers: { etag: resourceTag(user) }, body: representUser(user, prefix) };
  },

  createUser: ({ body }, { call, services, prefix }) =>
    services.users.create(call, { ...body, role: toRole(body.role) }, (user) => created(user, prefix)),

  replaceUser: async ({ path, headers, body }, { call, services, prefix }) => {
    const user = await services.users.update(call, path.user_id, toFields(body), ifMatch(headers['if-match']));
    return updated(user, headers.prefer, prefix);
  },

  updateUser: async ({ path, headers, body }, { call, services, prefix }) => {
    const user = await services.users.update(call, path.user_id, toFields(body), ifMatch(headers['if-match']));
    return updated(user, headers.prefer, prefix);
  },

  deleteUser: async ({ path, headers }, { call, services, prefix }) => {
    const user = await services.users.delete(call, path.user_id, ifMatch(headers['if-match']));
    if (preference(headers.prefer, 'return') !== 'representation') return { status: 204, headers: {} };
    return {
      status: 200,
      headers: { 'preference-applied': 'return=representation' },
      body: representUser(user, prefix),
    };
  },

  changePassword: async ({ path, body }, { call, services }) => {
    const change = { currentPassword: body.current_password, newPassword: body.new_password };
    await services.changePassword(call, path.user_id, change);
    return { status: 204 };
  },
});

const created = (user: User, prefix: string) =>
  ({
    status: 201,
    headers: { location: hrefOfUser(user.id, prefix), etag: resourceTag(user) },
    body: representUser(user, prefix),
  }) as const;

function updated(user: User, prefer: string | undefined, prefix: string) {
  const etag = resourceTag(user);
  const wish = preference(prefer, 'return');
  if (wish === 'minimal') return { status: 204, headers: { etag, 'preference-applied': 'return=minimal' } } as const;
  const applied = wish === 'representation' ? { 'preference-applied': 'return=representation' } : {};
  return { status: 200, headers: { etag, ...applied }, body: representUser(user, prefix) } as const;
}
