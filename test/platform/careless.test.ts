import t from 'tap';
import { application } from '../../src/application/application.js';
import { Comment, Order, Post, User } from '../../src/application/models.js';
import { representOrder, representUser } from '../../src/application/rest/representations.js';
import { route } from '../../src/application/routes.js';
import type { Application } from '../../src/platform/application.js';
import { create, list, model, record, replies } from '../../src/platform/index.js';
import { onEachDatabase } from '../support/databases.js';
import { codeOf, startInstance, startService } from '../support/service.js';

// Handlers that know nothing of permissions, existence, versions, content, rate, repeats and transactions.

const { listed, created } = replies<Order, ReturnType<typeof representOrder>>({
  represent: representOrder,
  href: (id, prefix) => `${prefix}/orders/${id}`,
});
const anyHandlers = application.handlers as Record<string, Record<string, unknown>>;
const anyResolvers = application.resolvers as Record<string, Record<string, unknown>>;
const changed = (
  handlers: Record<string, Record<string, unknown>>,
  mutations: Record<string, unknown> = {},
): Application => ({
  ...application,
  handlers: {
    ...anyHandlers,
    ...Object.fromEntries(Object.entries(handlers).map(([tag, own]) => [tag, { ...anyHandlers[tag], ...own }])),
  },
  resolvers: { ...anyResolvers, Mutation: { ...anyResolvers['Mutation'], ...mutations } },
});

const userReply = (user: never, { prefix }: { prefix: string }) => ({
  status: 200,
  headers: { etag: '"x"' },
  body: representUser(user, prefix),
});
let asked = 0;

const careless = changed(
  {
    orders: {
      // 1. Never looks at the row.
      cancelOrder: route({
        target: record(Order, 'order_id'),
        handler: () => ({ id: ++asked }),
        reply: () => ({
          status: 200,
          headers: { etag: '"1-1"' },
          body: representOrder(
            { id: 1, status: 'PAID', amount: 1, currency: 'EUR', createdAt: new Date(), userId: 1, version: 1 },
            '/api/v1',
          ),
        }),
      }),
      // 2. Forgets whose orders are asked for.
      listOrders: route({
        target: list(Order),
        handler: (_request: never, { db, page }) => db.page(Order, page),
        reply: listed,
      }),
      // 3. Adds one, and another, and fails in between.
      createOrder: route({
        target: create(Order, { of: record(User, 'user_id') }),
        async handler({ body }: { body: { total: { amount: number; currency: string } } }, { db, record: user }) {
          const first = await db.create(Order, { userId: user.id, ...body.total });
          if (body.total.amount === 13) throw new Error('an accident');
          return first;
        },
        reply: created,
      }),
    },
    users: {
      // 4. Writes down whatever comes: a VIEWER makes an ADMIN.
      updateUser: route({
        target: record(User, 'user_id'),
        handler: ({ body: { role, ...body } }: { body: { role?: string } }, { db, record: user }) =>
          db.update(User, user, { ...body, ...(role !== undefined && { role: role.toUpperCase() }) }),
        reply: userReply as never,
      }),
    },
  },
  {
    // 5. No rule at all.
    updatePost: route({
      target: record(Post, 'id'),
      handler: ({ title }: { title: string }, { db, record: post }) => db.update(Post, post, { title }),
    }),
    // 6. In whoever's name comes to mind.
    createPost: route({
      target: create(Post),
      handler: ({ title, content }: { title: string; content: string }, { db }) =>
        db.create(Post, { authorId: Number(content), title }),
    }),
    // 7. Does not look whether the post is there.
    addComment: route({
      target: create(Comment, { on: record(Post, 'postId') }),
      handler: ({ text, postId }: { text: string; postId: string }, { db, actor }) =>
        db.create(Comment, { postId: Number(postId), authorId: actor.id, text }),
    }),
    // 8. Writes another row than the one that was asked for, and forges whose it is.
    updateComment: route({
      target: record(Comment, 'id'),
      handler: ({ text }: { text: string }, { db, record: comment }) =>
        db.update(Comment, { ...comment, id: Number(text) }, { text }),
    }),
    // 9. Waits for nothing.
    deletePost: route({
      target: record(Post, 'id'),
      handler: (_args: never, { db, record: post }) => {
        void db.update(Post, post, { title: 'deleted soon' });
        void db.delete(Post, post);
        return { success: true, message: 'done' };
      },
    }),
  },
);

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { rest, graphql, admin, developer, viewer } = await startService(t, database, {}, Date.now, {
    changed: careless,
  });
  const { client } = database;
  const orderOf = async ({ id: userId }: { id: number }) =>
    (await client.order.create({ data: { userId, amount: 5, currency: 'EUR' } })).id;
  const postOf = async ({ id: authorId }: { id: number }) =>
    (await client.post.create({ data: { authorId, title: 'Mine' } })).id;
  const titleOf = async (id: number) => (await client.post.findUnique({ where: { id } }))?.title;
  const code = (answer: { errors?: { extensions?: { code?: string } }[] }) => answer.errors?.[0]?.extensions?.code;

  t.test('1: one that never looks at the row is not asked for the row of another, nor for none', async (t) => {
    asked = 0;
    const path = `/api/v1/orders/${await orderOf(viewer)}/cancel`;
    t.equal((await rest('POST', path)).status, 401);
    t.same(codeOf(await rest('POST', path, { as: developer })), [403, 'FORBIDDEN']);
    t.same(codeOf(await rest('POST', '/api/v1/orders/999999/cancel', { as: developer })), [404, 'NOT_FOUND']);
    t.equal(asked, 0, 'it was never asked');
    t.equal((await rest('POST', path, { as: viewer })).status, 200);
  });

  t.test('2: one that forgets to filter shows who reaches their own only those', async (t) => {
    await orderOf(developer);
    const { body } = await rest('GET', `/api/v1/users/${viewer.id}/orders`, { as: viewer });
    const owners = await client.order.findMany({ where: { id: { in: body.map(({ id }: { id: number }) => id) } } });
    t.same([...new Set(owners.map(({ userId }) => userId))], [viewer.id]);
  });

  t.test(
    '3: an accident leaves nothing; a key repeats the answer; bad content and a stranger write nothing',
    async (t) => {
      const path = `/api/v1/users/${viewer.id}/orders`;
      const count = () => client.order.count({ where: { userId: viewer.id } });
      const before = await count();
      const post = (amount: number, as = viewer, headers = {}) =>
        rest('POST', path, { as, headers, body: { total: { amount, currency: 'EUR' } } });
      t.equal((await post(13)).status, 500);
      t.same(codeOf(await post(0)), [422, 'VALIDATION_FAILED']);
      t.same(codeOf(await post(5, developer)), [403, 'FORBIDDEN']);
      t.equal(await count(), before);
      const key = { 'idempotency-key': 'once-and-for-all' };
      const [one, two] = [await post(7, viewer, key), await post(7, viewer, key)];
      t.same([one.status, two.status, two.body], [201, 201, one.body]);
      t.equal(await count(), before + 1);
      t.same(codeOf(await post(8, viewer, key)), [422, 'VALIDATION_FAILED']);
    },
  );

  t.test('4: a viewer makes no admin, and nobody overwrites what they have not seen', async (t) => {
    const path = `/api/v1/users/${viewer.id}`;
    t.same(codeOf(await rest('PATCH', path, { as: viewer, body: { role: 'admin' } })), [403, 'FORBIDDEN']);
    t.same(codeOf(await rest('PATCH', path, { as: developer, body: { name: 'Other' } })), [403, 'FORBIDDEN']);
    t.same(
      codeOf(await rest('PATCH', path, { as: viewer, body: { name: 'New' }, headers: { 'if-match': '"1-99"' } })),
      [412, 'PRECONDITION_FAILED'],
    );
    t.equal((await rest('PATCH', path, { as: viewer, body: { name: 'New' } })).body.name, 'New');
    t.match(await client.user.findUnique({ where: { id: viewer.id } }), { role: 'VIEWER', name: 'New', version: 2 });
  });

  t.test('5: no rule in the resolver, and all of them hold', async (t) => {
    const id = await postOf(developer);
    const update = (as: typeof viewer | null, title = 'Taken', of = id) =>
      graphql(as, `mutation { updatePost(id: ${of}, title: "${title}") { id } }`);
    t.equal(code(await update(null)), 'UNAUTHENTICATED');
    t.equal(code(await update(viewer)), 'FORBIDDEN');
    t.equal(code(await update(developer, '')), 'VALIDATION_FAILED');
    t.equal(code(await update(developer, 'x', 999_999)), 'NOT_FOUND');
    const other = await postOf(admin);
    t.equal(code(await update(developer, 'Taken', other)), 'FORBIDDEN');
    t.same([await titleOf(id), await titleOf(other)], ['Mine', 'Mine']);
    t.equal(code(await update(admin, 'By an admin')), undefined);
  });

  t.test('6: nobody writes in the name of another', async (t) => {
    const before = await client.post.count();
    const made = (as: typeof viewer, whose: number) =>
      graphql(as, `mutation { createPost(title: "Hm", content: "${whose}") { id } }`);
    t.equal(code(await made(developer, admin.id)), 'FORBIDDEN');
    t.equal(code(await made(viewer, viewer.id)), 'FORBIDDEN');
    t.equal(await client.post.count(), before);
    t.equal(code(await made(developer, developer.id)), undefined);
  });

  t.test('7: on what is gone nobody comments', async (t) => {
    const add = (id: number) => graphql(developer, `mutation { addComment(postId: ${id}, text: "Hm") { id } }`);
    t.equal(code(await add(999_999)), 'NOT_FOUND');
  });

  t.test('8: of another row than the one asked for, what is stored decides', async (t) => {
    const postId = await postOf(admin);
    const [own, others] = await Promise.all(
      [developer, admin].map(({ id: authorId }) => client.comment.create({ data: { postId, authorId, text: 'Hm' } })),
    );
    t.equal(
      code(await graphql(developer, `mutation { updateComment(id: ${own?.id}, text: "${others?.id}") { id } }`)),
      'FORBIDDEN',
    );
    t.equal((await client.comment.findUnique({ where: { id: others?.id ?? 0 } }))?.text, 'Hm');
  });

  t.test('9: what nobody waited for is done, or the whole is not', async (t) => {
    const id = await postOf(developer);
    t.equal(code(await graphql(developer, `mutation { deletePost(id: ${id}) { success } }`)), undefined);
    t.equal(await client.post.count({ where: { id } }), 0);
    t.equal(code(await graphql(developer, `{ post(id: ${id}) { id } }`)), 'GONE', 'and it has a tombstone');
  });

  t.test('10: where nobody has said whose a row is, nothing starts', async (t) => {
    const Ownerless = model('Order', { read: 'orders.read' });
    const bare = changed({
      orders: { cancelOrder: route({ target: record(Ownerless, 'order_id'), reply: (() => ({})) as never }) },
    });
    await t.rejects(startInstance(t, await open(), {}, { changed: bare }), /cancelOrder: orders.cancel reaches `own`/);
    const selfish = changed(
      {},
      { deletePost: route({ target: create(Post), reply: (() => ({})) as never, handler: () => ({}) as never }) },
    );
    await t.rejects(
      startInstance(t, await open(), {}, { changed: selfish }),
      /Mutation.deletePost: posts.delete reaches `own`/,
    );
  });

  t.test('11: whose a row is may stand behind a relation, in the words of Prisma', async (t) => {
    const OfThePost = model('Comment', { read: 'posts.read', owner: ({ id }) => ({ post: { authorId: id } }) });
    const models = (application.models ?? []).map((one) => (one.name === 'Comment' ? OfThePost : one));
    const other = await startInstance(t, database, {}, { changed: { ...application, models: models as never } });
    const postId = await postOf(developer);
    const [comment, elsewhere] = await Promise.all(
      [postId, await postOf(admin)].map((id) =>
        client.comment.create({ data: { postId: id, authorId: admin.id, text: 'Hm' } }),
      ),
    );
    const update = (id: number | undefined) =>
      other.graphql(developer, `mutation { updateComment(id: ${id}, text: "Edited") { id text } }`);
    t.match((await update(comment?.id)).data, { updateComment: { text: 'Edited' } });
    t.equal(code(await update(elsewhere?.id)), 'FORBIDDEN');
    t.equal((await client.comment.findUnique({ where: { id: elsewhere?.id ?? 0 } }))?.text, 'Hm');
    const add = (id: number) => other.graphql(developer, `mutation { addComment(postId: ${id}, text: "Mine") { id } }`);
    t.equal(code(await add(postId)), undefined);
    const before = await client.comment.count();
    t.equal(code(await add(elsewhere?.postId ?? 0)), 'FORBIDDEN', 'decided by what is written, and taken back');
    t.equal(await client.comment.count(), before);
  });
});
