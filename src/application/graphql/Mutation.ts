import { create, record, removal } from 'accord';
import type { MutationResolvers } from '../../../generated/graphql.js';
import { Failure } from '../calls.js';
import { Comment, Message, Post } from '../models.js';
import { type FieldsOf, route } from '../routes.js';

const deleted = (what: string) => ({ success: true, message: `The ${what} was deleted.` });

const own: Omit<FieldsOf<'Mutation'>, 'createUser' | 'updateUser' | 'deleteUser'> = {
  createPost: route({
    target: create(Post),
    handler: ({ title, content }, { db, actor }) =>
      db.create(Post, { authorId: actor.id, title, content: content ?? null }),
  }),
  updatePost: route({
    target: record(Post, 'id'),
    handler: ({ title, content }, { db, record: post }) =>
      db.update(Post, post, { title: neverNull('title', title), content }),
  }),
  deletePost: route({ target: removal(Post, 'id'), reply: ({ title }) => deleted(`post "${title}"`) }),

  addComment: route({
    target: create(Comment, { on: record(Post, 'postId') }),
    handler: ({ text }, { db, actor, record: post }) =>
      db.create(Comment, { postId: post.id, authorId: actor.id, text }),
  }),
  updateComment: route({
    target: record(Comment, 'id'),
    handler: ({ text }, { db, record: comment }) => db.update(Comment, comment, { text }),
  }),
  deleteComment: route({ target: removal(Comment, 'id'), reply: ({ id }) => deleted(`comment ${id}`) }),

  addMessage: route({
    target: create(Message),
    handler: ({ channelId, text }, { db, actor }) => db.create(Message, { channelId, authorId: actor.id, text }),
  }),
  deleteMessage: route({ target: removal(Message, 'id'), reply: ({ id }) => deleted(`message ${id}`) }),
};

const accounts: Pick<MutationResolvers, 'createUser' | 'updateUser' | 'deleteUser'> = {
  createUser: (_parent, { input: { password, ...fields } }, { call, services }) =>
    services.users.create(call, { ...fields, ...(password != null && { password }) }, (user) => user),
  updateUser: (_parent, { id, name }, { call, services }) => services.users.update(call, Number(id), { name }),
  deleteUser: async (_parent, { id }, { call, services }) =>
    deleted(`user ${(await services.users.delete(call, Number(id))).name}`),
};

export const Mutation = { ...accounts, ...own };

/** An argument that can be left out, but not taken away: GraphQL's types cannot say so. */
function neverNull<T>(name: string, value: T | null | undefined): T | undefined {
  if (value !== null) return value;
  throw new Failure('BAD_REQUEST', `${name} can be left out, but not null.`, {
    issues: [{ pointer: `/${name}`, detail: 'must not be null' }],
  });
}
