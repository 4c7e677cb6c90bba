import { create, record, removal } from '@accord-api/platform';
import type { MutationRoutes } from '../../../generated/graphql.js';
import { Failure } from '../calls.js';
import { Comment, Message, Post, User } from '../models.js';
import { route } from '../routes.js';

const deleted = (what: string) => ({ success: true, message: `The ${what} was deleted.` });

export const Mutation: MutationRoutes = {
  createUser: route({
    target: create(User),
    handler: ({ input: { password, ...fields } }, { db, services }) =>
      services.users.create(db, { ...fields, password: password ?? undefined }),
  }),
  updateUser: route({
    target: record(User, 'id'),
    handler: ({ name }, { db, record: { id } }) => db.user.update({ where: { id }, data: { name } }),
  }),
  deleteUser: route({
    target: removal(User, 'id'),
    handler: (_args, { db, record: user, services }) => services.accounts.delete(db, user),
    reply: ({ name }) => deleted(`user ${name}`),
  }),

  createPost: route({
    target: create(Post),
    handler: ({ title, content }, { db, actor, services }) =>
      services.posts.create(db, actor.id, { title, content: content ?? null }),
  }),
  updatePost: route({
    target: record(Post, 'id'),
    handler: ({ title, content }, { db, record: post, services }) =>
      services.posts.update(db, post, {
        ...(title !== undefined && { title: neverNull('title', title) }),
        ...(content !== undefined && { content }),
      }),
  }),
  deletePost: route({ target: removal(Post, 'id'), reply: ({ title }) => deleted(`post "${title}"`) }),

  addComment: route({
    target: create(Comment, { on: record(Post, 'postId') }),
    handler: ({ text }, { db, actor, record: post, services }) => services.comments.create(db, actor.id, post, text),
  }),
  updateComment: route({
    target: record(Comment, 'id'),
    handler: ({ text }, { db, record: comment, services }) => services.comments.update(db, comment, text),
  }),
  deleteComment: route({ target: removal(Comment, 'id'), reply: ({ id }) => deleted(`comment ${id}`) }),

  addMessage: route({
    target: create(Message),
    handler: (message, { db, actor, services }) => services.messages.create(db, actor.id, message),
  }),
  deleteMessage: route({ target: removal(Message, 'id'), reply: ({ id }) => deleted(`message ${id}`) }),
};

/** An optional argument that may not be null. GraphQL's types cannot express this. */
function neverNull<T>(name: string, value: T | null): T {
  if (value !== null) return value;
  throw new Failure('BAD_REQUEST', `${name} can be left out, but not null.`, {
    issues: [{ pointer: `/${name}`, detail: 'must not be null' }],
  });
}
