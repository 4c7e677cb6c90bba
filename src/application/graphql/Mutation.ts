import type { MutationResolvers } from '../../../generated/graphql.js';
import { Failure } from '../calls.js';

export const Mutation: MutationResolvers = {
  createUser: (_parent, { input: { password, ...fields } }, { call, services }) =>
    services.users.create(call, { ...fields, ...(password != null && { password }) }, (user) => user),
  updateUser: (_parent, { id, name }, { call, services }) => services.users.update(call, Number(id), { name }),
  deleteUser: async (_parent, { id }, { call, services }) => {
    const { name } = await services.users.delete(call, Number(id));
    return { success: true, message: `The user ${name} was deleted.` };
  },
  createPost: (_parent, { title, content }, { call, services }) =>
    services.posts.create(call, { title, content: content ?? null }),
  updatePost: (_parent, { id, title, content }, { call, services }) =>
    services.posts.update(call, Number(id), {
      ...(title !== undefined && { title: neverNull('title', title) }),
      ...(content !== undefined && { content }),
    }),
  deletePost: async (_parent, { id }, { call, services }) => {
    const { title } = await services.posts.delete(call, Number(id));
    return { success: true, message: `The post "${title}" was deleted.` };
  },
  addComment: (_parent, { postId, text }, { call, services }) =>
    services.comments.create(call, { postId: Number(postId), text }),
  updateComment: (_parent, { id, text }, { call, services }) => services.comments.update(call, Number(id), text),
  deleteComment: async (_parent, { id }, { call, services }) => {
    await services.comments.delete(call, Number(id));
    return { success: true, message: `The comment ${id} was deleted.` };
  },
  addMessage: (_parent, message, { call, services }) => services.messages.add(call, message),
  deleteMessage: async (_parent, { id }, { call, services }) => {
    await services.messages.delete(call, Number(id));
    return { success: true, message: `The message ${id} was deleted.` };
  },
};

/** An argument that can be left out, but not taken away: GraphQL's types cannot say so. */
function neverNull<T>(name: string, value: T | null): T {
  if (value !== null) return value;
  throw new Failure('BAD_REQUEST', `${name} can be left out, but not null.`, {
    issues: [{ pointer: `/${name}`, detail: 'must not be null' }],
  });
}
