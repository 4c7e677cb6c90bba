// Careless code that does not compile. `tsc` fails for an expected error that does not occur.

import type { MutationRoutes, PostResolvers, QueryRoutes } from '../../../generated/graphql.js';
import type * as Contract from '../../../generated/operations.js';
import { Comment, Message, Order, Post, type User } from '../../../src/application/models.js';
import { route } from '../../../src/application/routes.js';
import { type ApplicationPlatform, caller, create, type Db, model, record } from '../../../src/platform/index.js';

const Ownerless = model('Order', { read: 'orders.read' });
const body = {} as Contract.Order;
const paid = { status: 200, headers: { etag: '' }, body } as const;

export const orders: Partial<Contract.OrdersHandlers> = {
  // @ts-expect-error a function names no row whose owner decides
  payOrder: async () => paid,
  // @ts-expect-error orders.read reaches `own`, and the model has no owner
  getOrder: route({ target: record(Ownerless, 'order_id'), reply: () => paid }),
  // @ts-expect-error orders.create reaches `any` for administrators, so the caller alone does not decide
  createOrder: route({ target: create(Order), handler: ({ id }: { id: number }) => ({ id }), reply: () => paid }),
  // @ts-expect-error the contract declares no such status
  cancelOrder: route({ target: record(Order, 'order_id'), reply: () => ({ ...paid, status: 299 as const }) }),
};

export const headers: Partial<Contract.OrdersHandlers> = {
  // @ts-expect-error the contract declares no status without its header
  cancelOrder: route({ target: record(Order, 'order_id'), reply: () => ({ status: 200 as const, headers: {}, body }) }),
  // @ts-expect-error the body lacks members
  getOrder: route({ target: record(Order, 'order_id'), reply: ({ id }) => ({ ...paid, body: { id } }) }),
};

export const mutations: Partial<MutationRoutes> = {
  // @ts-expect-error posts.delete: a new row does not say whose the deleted one is
  deletePost: route({ target: create(Post), handler: async () => ({ success: true, message: '' }) }),
  updatePost: route({
    target: record(Post, 'id'),
    // @ts-expect-error a post has no such member
    handler: ({ title }, { db, record: { id } }) => db.post.update({ where: { id }, data: { titel: title ?? '' } }),
  }),
  createPost: route({
    target: create(Post),
    // @ts-expect-error the services of a handler have no client
    handler: ({ title }, { services, actor }) => services.client.post.create({ data: { title, authorId: actor.id } }),
  }),
  // @ts-expect-error an id of the wrong type
  updateComment: route({ target: record(Comment, 7) }),
};

// @ts-expect-error fields without a resolver
export const queries: QueryRoutes = { me: route({ target: caller(User) }) };

export const nested: PostResolvers = {
  // @ts-expect-error a field below the root gets a client that it cannot query by SQL
  content: (_post, _args, { db }) => db.$queryRaw`SELECT 1`,
};

export function calls(db: Db, { transact }: ApplicationPlatform, platform: ApplicationPlatform) {
  // @ts-expect-error raw SQL
  void db.$queryRaw;
  // @ts-expect-error a transaction inside of the operation's
  void db.$transaction;
  // @ts-expect-error an upsert goes around the owner
  void db.post.upsert;
  // @ts-expect-error rows of users have no such member
  void (async () => (await db.user.findFirst())?.emailKey);
  // @ts-expect-error `undefined` would mean every row
  void db.post.deleteMany({ where: { id: undefined } });
  // @ts-expect-error an application gets no client
  void platform.client;
  return transact(
    (system) =>
      // @ts-expect-error nor does a job
      system.$executeRaw`DELETE FROM posts`,
  );
}

// @ts-expect-error an owner is a `where` of Prisma over the model
export const Misowned = model('Post', { read: 'posts.read', owner: (caller) => ({ authorID: caller.id }) });
// @ts-expect-error there is no such model
export const Poem = model('Poem', { read: 'posts.read' });
// @ts-expect-error the model has no such member to protect
export const Protected = model('Post', { read: 'posts.read', protect: { stars: 'posts.update' } });
// @ts-expect-error the model has no such member to name a stream by
export const Streamed = model('Message', { read: 'messages.read', stream: { key: 'room' } });
// @ts-expect-error the row of a message is not the row of a user
export const misread: (typeof User)['name'] = Message.name;

// An owner can be reached through relations, here the members of a team.
export const Thread = model('Comment', {
  read: 'posts.read',
  owner: ({ id }) => ({ OR: [{ authorId: id }, { post: { authorId: id } }] }),
});
