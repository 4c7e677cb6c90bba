// What the compiler refuses: held by `tsc`, which would complain of a directive that expects an error where there is none.

import { Order, Post, User } from '../../src/application/models.js';
import { type FieldsOf, type RoutesOf, route } from '../../src/application/routes.js';
import { create, list, model, record } from '../../src/platform/index.js';

const Ownerless = model('Order', { read: 'orders.read' });

export const bad: Partial<RoutesOf<'orders'>> = {
  // @ts-expect-error a plain function has said nothing of whose the order is
  cancelOrder: async () => ({ status: 200 as const, headers: { etag: '' }, body: {} as never }),
  // @ts-expect-error orders.read reaches `own`, and the model does not say whose a row is
  getOrder: route({
    target: record(Ownerless, 'order_id'),
    reply: () => ({ status: 200 as const, headers: { etag: '' }, body: {} as never }),
  }),
  // @ts-expect-error orders.create reaches `any` for admins: that it is the caller's own does not decide it
  createOrder: route({
    target: create(Order),
    handler: ({ body }, { db, actor }) => db.create(Order, { userId: actor.id, ...body.total }),
    reply: (() => ({})) as never,
  }),
};

export const worse: Partial<FieldsOf<'Mutation'>> = {
  // @ts-expect-error posts.delete: to make a new one is not to say whose the old one is
  deletePost: route({ target: create(Post), handler: async () => ({ success: true, message: '' }) }),
  updatePost: route({
    target: record(Post, 'id'),
    // @ts-expect-error a post has no such member
    handler: ({ title }, { db, record: post }) => db.update(Post, post, { titel: title }),
  }),
  createPost: route({
    target: create(Post),
    // @ts-expect-error there is no client of Prisma, nor a way to run statements, among the services
    handler: ({ title }, { services, actor }) => services.client.post.create({ data: { title, authorId: actor.id } }),
  }),
};

// @ts-expect-error ownership is a `where` of Prisma over the model
export const Misowned = model('Post', { read: 'posts.read', owner: (caller) => ({ authorID: caller.id }) });

// An owner may stand behind relations: a member of the team, in Prisma's own words.
export const Thread = model('Comment', {
  read: 'posts.read',
  owner: ({ id }) => ({ OR: [{ authorId: id }, { post: { authorId: id } }] }),
});
export const Everybody = list(User);
