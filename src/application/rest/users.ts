import {
  create,
  list,
  preference,
  type ReplyContext,
  record,
  removal,
  resourceTag,
  type UserFields,
} from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import { User } from '../models.js';
import { route } from '../routes.js';
import { representUser, toRole, userReplies } from './representations.js';

const { ok, created, listed } = userReplies;
const user = record(User, 'user_id');

/** Returns the members that the request names. Prisma leaves the others unchanged. */
const toFields = ({ role, ...rest }: Contract.UpdateUserRequestBody): Partial<UserFields> => ({
  ...rest,
  ...(role !== undefined && { role: toRole(role) }),
});

export const users = Contract.usersHandlers({
  listUsers: route({ target: list(User), reply: listed }),

  getUser: route({ target: user, reply: ok }),

  createUser: route({
    target: create(User),
    handler: ({ body }, { db, services }) => services.users.create(db, { ...body, role: toRole(body.role) }),
    reply: created,
  }),

  replaceUser: route({
    target: user,
    handler: ({ body }, { db, record: { id } }) => db.user.update({ where: { id }, data: toFields(body) }),
    reply: updated,
  }),

  updateUser: route({
    target: user,
    handler: ({ body }, { db, record: { id } }) => db.user.update({ where: { id }, data: toFields(body) }),
    reply: updated,
  }),

  deleteUser: route({
    target: removal(User, 'user_id'),
    handler: (_request, { db, record: user, services }) => services.accounts.delete(db, user),
    reply: deleted,
  }),
});

function updated(user: User, { headers, prefix }: ReplyContext) {
  const etag = resourceTag(user);
  const wish = preference(headers['prefer'], 'return');
  if (wish === 'minimal') return { status: 204, headers: { etag, 'preference-applied': 'return=minimal' } } as const;
  const applied = wish === 'representation' ? { 'preference-applied': 'return=representation' } : {};
  return { status: 200, headers: { etag, ...applied }, body: representUser(user, prefix) } as const;
}

function deleted(user: User, { headers, prefix }: ReplyContext) {
  if (preference(headers['prefer'], 'return') !== 'representation') return { status: 204, headers: {} } as const;
  return {
    status: 200,
    headers: { 'preference-applied': 'return=representation' },
    body: representUser(user, prefix),
  } as const;
}
