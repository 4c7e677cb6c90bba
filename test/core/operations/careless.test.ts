import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { application } from '../../../src/application/application.js';
import { Comment, Message, models, Order, Post, User } from '../../../src/application/models.js';
import { representOrder, representUser } from '../../../src/application/rest/representations.js';
import { route } from '../../../src/application/routes.js';
import type { Application } from '../../../src/platform/core/application.js';
import { readGeneratedContract } from '../../../src/platform/core/contract/project-files.js';
import { publishedContracts } from '../../../src/platform/core/contract/published.js';
import { beginTransaction, Prisma, type PrismaClient } from '../../../src/platform/database/client.js';
import { create, type Db, Failure, notWritten, type Operation, record, stream } from '../../../src/platform/index.js';
import { memoryDatabase, type Opened, onEachDatabase } from '../../support/databases.js';
import type { Json, Person } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import {
  type GraphQLAnswer,
  type Instance,
  type RestAnswer,
  startInstance,
  startService,
} from '../../support/service.js';

// Each handler, resolver, stream or job contains one mistake. The platform rejects the request as the contract says, or
// answers 500, writes nothing and logs the operation, or does not start. careless.types.ts contains mistakes that do
// not compile.

type Handler = (request: Json, operation: Operation & { record: Json; services: Json }) => unknown;

/** The handlers of the current test, by operation. */
let written: Record<string, Handler> = {};
const careless =
  (name: string): never =>
  // @ts-expect-error the handlers of all cases have one type
  (...args: Parameters<Handler>) =>
    (written[name] as Handler)(...args);

type Parts = Record<string, Record<string, unknown>>;
/** Returns the example with other handlers and resolvers. */
const changed = (handlers: Parts, resolvers: Parts = {}, rest: Partial<Application> = {}): Application => {
  const merged = (all: object, parts: Parts) => ({
    ...all,
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, { ...(all as Parts)[name], ...part }])),
  });
  return {
    ...application,
    handlers: merged(application.handlers, handlers),
    resolvers: merged(application.resolvers, resolvers),
    ...rest,
  };
};

const order = { status: 200, headers: { etag: '"1-1"' } };
const example = changed(
  {
    orders: {
      cancelOrder: route({ target: record(Order, 'order_id'), handler: careless('cancelOrder') }),
      createOrder: route({ target: create(Order, { of: record(User, 'user_id') }), handler: careless('createOrder') }),
    },
    users: {
      updateUser: route({ target: record(User, 'user_id'), handler: careless('updateUser') }),
    },
  },
  {
    Query: { post: route({ target: record(Post, 'id'), handler: careless('Query.post') }) },
    Mutation: {
      createPost: route({ target: create(Post), handler: careless('Mutation.createPost') }),
      updatePost: route({ target: record(Post, 'id'), handler: careless('Mutation.updatePost') }),
    },
    Post: {
      content: (post: object, args: object, context: object) =>
        written['Post.content']?.(post, { ...context, ...args } as never) ?? null,
    },
    Message: { text: ({ text }: { text: string }) => written['Message.text']?.(text, {} as never) ?? text },
  },
);

/** Starts a service with careless handlers, and returns its assertions. */
async function start(t: Test, database: Opened, options: object = {}) {
  const service = await startService(t, database, {}, Date.now, { changed: example, ...options });
  const { admin, developer, viewer } = service;
  return { ...service, ...casesOf(service, database.client, developer), people: { admin, developer, viewer } };
}

/** Starts a changed service on the same database. */
async function startAgain(
  t: Test,
  database: Opened,
  { people }: { people: Record<string, Person> },
  options: object = {},
) {
  const service = await startInstance(t, database, {}, { changed: example, ...options });
  return { ...service, ...casesOf(service, database.client, people['developer'] as Person) };
}

function casesOf({ rest, graphql, log }: Instance, client: PrismaClient, developer: Person) {
  return {
    client,
    postOf: ({ id: authorId }: Person) =>
      client.post.create({ data: { authorId, title: 'Mine', comments: { create: { authorId, text: 'Hm' } } } }),
    orderOf: ({ id: userId }: Person) => client.order.create({ data: { userId, amount: 5, currency: 'EUR' } }),
    update: (id: number, handler: Handler, as = developer, title = 'Edited') => {
      written = { 'Mutation.updatePost': handler };
      return graphql(as, `mutation { updatePost(id: ${id}, title: ${JSON.stringify(title)}) { id title } }`);
    },
    read: (id: number, handler: Handler, as = developer) => {
      written = { 'Query.post': handler };
      return graphql(as, `{ post(id: ${id}) { id title } }`);
    },
    cancel: ({ id }: { id: number }, handler: Handler, as: Person, headers = {}) => {
      written = { cancelOrder: handler };
      return rest('POST', `/api/v1/orders/${id}/cancel`, { as, headers });
    },
    /**
     * Asserts the code of an answer and that nothing was written. 500 requires a log line with the name of the
     * operation.
     */
    async refused(t: Test, code: string, operation: string, request: () => Promise<GraphQLAnswer | RestAnswer>) {
      const before = await contentOf(client);
      const lines = log.length;
      const answer = await request();
      const codes = 'codes' in answer ? answer.codes : [answer.body?.code];
      t.same(codes, [code], 'text' in answer ? answer.text : JSON.stringify(answer));
      t.same(await contentOf(client), before, 'nothing is written');
      const isNamed = (line: string) => (JSON.parse(line) as { operation?: string }).operation === operation;
      const named = log.slice(lines).filter(isNamed);
      if (code === 'INTERNAL') t.equal(named.length, 1, 'one line of the log names the operation');
      return named.join('\n');
    },
  };
}

/** Returns everything that a handler can write. */
const contentOf = async (client: PrismaClient) =>
  Promise.all([
    client.user.findMany({ orderBy: { id: 'asc' } }),
    client.post.findMany({ orderBy: { id: 'asc' } }),
    client.comment.findMany({ orderBy: { id: 'asc' } }),
    client.order.findMany({ orderBy: { id: 'asc' } }),
    client.payment.findMany({ orderBy: { id: 'asc' } }),
    client.message.findMany({ orderBy: { id: 'asc' } }),
    client.tombstone.count(),
    client.idempotencyKey.count(),
    client.auditEvent.count({ where: { event: { not: 'access.refused' } } }),
  ]);

const conflict = () => new Failure('CONFLICT', 'The order is not pending.');

// The database decides: transactions, locks and their errors.
onEachDatabase(t, async (t, open) => {
  const database = await open();
  const service = await start(t, database);
  const { admin, developer, viewer, client, refused, update, cancel, rest, postOf, orderOf } = service;
  const { id } = await postOf(developer);
  const foreign = (await postOf(admin)).id;
  const rename = (db: Db, of = id) => db.post.update({ where: { id: of }, data: { title: 'Written' } });

  t.test('a failed second write rolls back the first', async (t) => {
    await refused(t, 'INTERNAL', 'Mutation.updatePost', () =>
      update(id, async (_, { db }) => {
        await rename(db);
        await db.comment.create({ data: { postId: 999_999, authorId: developer.id, text: 'Hm' } });
      }),
    );
  });

  t.test('an error after the first write rolls it back', async (t) => {
    const line = await refused(t, 'INTERNAL', 'Mutation.updatePost', () =>
      update(id, async (_, { db }) => {
        await rename(db);
        throw new Error('an accident');
      }),
    );
    t.match(line, /an accident/);
  });

  t.test('a failed write fails the operation, also when the handler catches its error', async (t) => {
    await refused(t, 'INTERNAL', 'Mutation.updatePost', () =>
      update(id, async (_, { db, record }) => {
        await rename(db);
        const broken = { postId: 999_999, authorId: developer.id, text: 'Hm' };
        await db.comment.create({ data: broken }).catch(() => {});
        return record;
      }),
    );
    await refused(t, 'FORBIDDEN', 'Mutation.updatePost', () =>
      update(id, async (_, { db, record }) => {
        await rename(db);
        await rename(db, foreign).catch(() => {});
        return record;
      }),
    );
  });

  t.test('a failed read fails the operation, because PostgreSQL would commit nothing', async (t) => {
    await refused(t, 'INTERNAL', 'Mutation.updatePost', () =>
      update(id, async (_, { db, record }) => {
        await rename(db);
        await db.post.findMany({ where: { title: { contains: 'a\u0000' } } }).catch(() => {});
        return record;
      }),
    );
    const { codes } = await update(id, async (_, { db }) => {
      await db.post.findUniqueOrThrow({ where: { id: 999_999 } }).catch(() => {});
      return rename(db);
    });
    t.same(codes, [], 'a row that is not there is no failed statement');
  });

  t.test('a state that is checked before an await is valid for the write: one of two requests wins', async (t) => {
    const pending = await orderOf(viewer);
    const pay: Handler = async (_, { db, record }) => {
      if (record.status !== 'PENDING') throw conflict();
      await delay(50);
      const paid = await db.order.update({ where: { id: record.id }, data: { status: 'CANCELLED' } });
      return { ...order, body: representOrder(paid, '/api/v1') };
    };
    const answers = await Promise.all([cancel(pending, pay, viewer), cancel(pending, pay, viewer)]);
    t.same(answers.map(({ status }) => status).sort(), [200, 409]);
    t.match(await client.order.findUnique({ where: { id: pending.id } }), { status: 'CANCELLED', version: 2 });
  });

  t.test('a write uses the current role, not the role in the token', async (t) => {
    const former = await service.person('ADMIN');
    await client.user.update({ where: { id: former.id }, data: { role: 'DEVELOPER' } });
    await refused(t, 'FORBIDDEN', 'Mutation.updatePost', () => update(id, (_, { db }) => rename(db), former));
  });

  t.test('a started write that is not awaited is part of the transaction, and so is the next one', async (t) => {
    const { codes } = await update(id, (_, { db, record }) => {
      const write = async () => {
        await db.post.update({ where: { id }, data: { title: 'One' } });
        await db.comment.create({ data: { postId: id, authorId: developer.id, text: 'Two' } });
      };
      void write();
      return record;
    });
    t.same(codes, []);
    t.match(await client.post.findUnique({ where: { id }, include: { comments: true } }), { title: 'One' });
    t.equal(await client.comment.count({ where: { postId: id, text: 'Two' } }), 1);
  });

  t.test('a write that is not awaited, and therefore never started, is an error', async (t) => {
    const line = await refused(t, 'INTERNAL', 'Mutation.updatePost', () =>
      update(id, (_, { db, record }) => {
        void rename(db);
        return record;
      }),
    );
    t.match(line, /db\.post\.update was called and not awaited/);
  });

  t.test('a handler that returns before its work is done gets no second transaction', async (t) => {
    let late: Promise<unknown> = Promise.resolve();
    const before = await contentOf(client);
    const { codes } = await update(id, (_, { db, record }) => {
      late = delay(50).then(() => rename(db));
      late.catch(() => {});
      return record;
    });
    t.same(codes, []);
    await t.rejects(late, { message: 'Mutation.updatePost is over: its `db` cannot be used any more.' });
    t.same(await contentOf(client), before);
  });

  t.test('a `db` that is used after the call is rejected', async (t) => {
    let kept: Db | undefined;
    await update(id, (_, { db, record }) => {
      kept = db;
      return record;
    });
    await t.rejects(rename(kept as Db), /Mutation\.updatePost is over/);
    await service.read(id, (_, { db, record }) => {
      kept = db;
      return record;
    });
    await t.rejects((kept as Db).order.findMany(), /Query\.post is over/);
  });

  t.test('deleting one or many rows creates tombstones, also for dependent rows', async (t) => {
    const [one, two] = [await postOf(developer), await postOf(developer)];
    const comments = await client.comment.findMany({ where: { postId: { in: [one.id, two.id] } } });
    await update(one.id, (_, { db }) => db.post.delete({ where: { id: one.id } }));
    await update(id, async (_, { db, record }) => {
      await db.post.deleteMany({ where: { id: two.id } });
      return record;
    });
    for (const post of [one, two])
      t.same((await update(post.id, () => t.fail('the handler is not called'))).codes, ['GONE']);
    const ids = comments.map((comment) => comment.id);
    t.equal(await client.tombstone.count({ where: { kind: 'COMMENT', id: { in: ids } } }), 2);
  });

  t.test('an idempotency key of a failed request can be reused, and callers have separate keys', async (t) => {
    const headers = { 'idempotency-key': 'a-key-of-a-careless-client' };
    const path = ({ id }: Person) => `/api/v1/users/${id}/orders`;
    const body = { total: { amount: 7, currency: 'EUR' } };
    const store: Handler = async (_, { db, record }) => {
      const { id: orderId } = await db.order.create({ data: { userId: record.id, amount: 7, currency: 'EUR' } });
      const stored = await db.order.findUniqueOrThrow({ where: { id: orderId } });
      const made = { location: `/api/v1/orders/${orderId}`, etag: '"1-1"' };
      return { status: 201, headers: made, body: representOrder(stored, '/api/v1') };
    };
    written = {
      createOrder: async (request, operation) => {
        await store(request, operation);
        throw new Error('an accident');
      },
    };
    await refused(t, 'INTERNAL', 'createOrder', () => rest('POST', path(viewer), { as: viewer, headers, body }));
    written = { createOrder: store };
    const [first, repeated] = [
      await rest('POST', path(viewer), { as: viewer, headers, body }),
      await rest('POST', path(viewer), { as: viewer, headers, body }),
    ];
    t.same([first.status, repeated.status, repeated.text], [201, 201, first.text]);
    await refused(t, 'FORBIDDEN', 'createOrder', () => rest('POST', path(viewer), { as: developer, headers, body }));
    const own = await rest('POST', path(developer), { as: developer, headers, body });
    t.not(own.body.id, first.body.id);
  });

  t.test('the time limit of the transaction ends an endless loop', async (t) => {
    const limited = new Proxy(client, {
      get: (_target, name) =>
        name === '$begin'
          ? () => beginTransaction(client, { timeout: 300 })
          : (client as never as Record<string | symbol, unknown>)[name],
    });
    const { update, refused } = await startAgain(t, { ...database, client: limited }, service);
    await refused(t, 'UNAVAILABLE', 'Mutation.updatePost', () =>
      update(id, async (_, { db }) => {
        await rename(db);
        for (let turns = 0; turns < 100_000; turns++) await db.post.findFirst();
      }),
    );
    t.same((await update(id, (_, { db }) => rename(db))).codes, [], 'and the next request is answered');
  });

  t.test('a stream loses no message while a relation cannot be read or a resolver throws', async (t) => {
    let isAway = false;
    const user = new Proxy(client.user, {
      get: (target, name) =>
        isAway && name === 'findMany' ? async () => Promise.reject(new Error('away')) : target[name as never],
    });
    const failing = new Proxy(client, {
      get: (_target, name) => (name === 'user' ? user : (client as never as Record<string | symbol, unknown>)[name]),
    });
    const { graphql, subscribe, log } = await startAgain(t, { ...database, client: failing }, service);
    written = {};
    const add = (text: string) => graphql(developer, `mutation { addMessage(channelId: "c", text: "${text}") { id } }`);
    const document = 'subscription { messageAdded(channelId: "c") { text author { name } } }';
    const followed = subscribe(developer, document);
    await followed.waitUntilActive(() => add('are you there?'));
    isAway = true;
    await add('with its author');
    const message = (text: string) => followed.next(({ data }: Json) => data?.messageAdded.text === text);
    t.match(await message('with its author'), { data: { messageAdded: { author: { name: 'Developer' } } } });
    isAway = false;
    written = {
      'Message.text': (text) => {
        if (text === 'spoilt') throw new Error('an accident');
        return text;
      },
    };
    await add('spoilt');
    await add('the next one');
    t.match(await followed.next(({ errors }: Json) => errors), { errors: [{ extensions: { code: 'INTERNAL' } }] });
    t.match(await message('the next one'), { data: { messageAdded: { author: { name: 'Developer' } } } });
    t.ok(
      log.some((line) => line.includes('"operation":"Message.text"')),
      'the log names the field',
    );
  });

  t.test('a job that throws writes nothing, and the log names it', async (t) => {
    let runs = 0;
    const { log, services } = await startAgain(t, database, service, {
      changed: {
        ...example,
        services: (platform) => {
          platform.jobs.add([
            {
              name: 'careless',
              every: 3_600_000,
              run: () =>
                platform.transact(async (db) => {
                  await db.post.update({ where: { id }, data: { title: `Run ${++runs}` } });
                  throw new Error('an accident');
                }),
            },
          ]);
          return application.services(platform);
        },
      } satisfies Application,
    });
    await eventually('a run', () => log.some((line) => line.includes('"job":"careless"')));
    t.notMatch((await client.post.findUniqueOrThrow({ where: { id } })).title, /Run/);
    const { transact } = services as { transact: <T>(work: (db: Db) => Promise<T>) => Promise<T> };
    let kept: Db | undefined;
    await t.rejects(
      transact(async (db) => {
        kept = db;
        void rename(db);
      }),
      /db\.post\.update was called and not awaited/,
    );
    await t.rejects(rename(kept as Db), /is over/);
    await t.rejects(
      transact((db) => db.post.deleteMany({ where: { id: undefined as never } })),
      /explicitly `undefined` values are not allowed/,
    );
  });
});

// The guard decides before the database, so one database is enough.
t.test('a handler cannot access rows and members that its caller may not', async (t) => {
  const database = await memoryDatabase(t);
  const breaches: string[] = [];
  const service = await start(t, database, { onBreach: (breach: string) => breaches.push(breach) });
  const { admin, developer, viewer, client, refused, update, read, cancel, rest, graphql, postOf, orderOf } = service;
  const mine = await postOf(developer);
  const foreign = await postOf(admin);
  const { id } = mine;

  t.test('a handler is not called for a row of another account or without a row', async (t) => {
    const { id } = await orderOf(viewer);
    let calls = 0;
    const handler: Handler = (_, { record }) => {
      calls++;
      return { ...order, body: representOrder(record, '/api/v1') };
    };
    written = { cancelOrder: handler };
    t.equal((await rest('POST', `/api/v1/orders/${id}/cancel`)).status, 401);
    await refused(t, 'FORBIDDEN', 'cancelOrder', () => cancel({ id }, handler, developer));
    await refused(t, 'NOT_FOUND', 'cancelOrder', () => cancel({ id: 999_999 }, handler, viewer));
    await refused(t, 'NOT_FOUND', 'cancelOrder', () => cancel({ id: 9_999_999_999 }, handler, viewer));
    t.equal(calls, 0);
    t.equal((await cancel({ id }, handler, viewer)).status, 200);
  });

  /** Forbidden writes and their results. */
  const spoilt: Record<string, [code: string, handler: Handler, line?: RegExp]> = {
    'another row than the target': [
      'FORBIDDEN',
      (_, { db }) => db.post.update({ where: { id: foreign.id }, data: { title: 'x' } }),
    ],
    'another row, deleted': ['FORBIDDEN', (_, { db }) => db.post.delete({ where: { id: foreign.id } })],
    'a row in the name of another': [
      'FORBIDDEN',
      (_, { db }) => db.post.create({ data: { authorId: admin.id, title: 'x' } }),
    ],
    'a row given away': ['FORBIDDEN', (_, { db }) => db.post.update({ where: { id }, data: { authorId: admin.id } })],
    'a row given away by `set`': [
      'FORBIDDEN',
      (_, { db }) => db.post.update({ where: { id }, data: { authorId: { set: admin.id } } }),
    ],
    'many rows in the name of another': [
      'FORBIDDEN',
      (_, { db }) => db.comment.createMany({ data: [{ postId: id, authorId: admin.id, text: 'x' }] }),
    ],
    'many rows given away': [
      'FORBIDDEN',
      (_, { db }) => db.post.updateMany({ where: { id }, data: { authorId: admin.id } }),
    ],
    'a protected member': [
      'FORBIDDEN',
      (_, { db }) => db.user.update({ where: { id: developer.id }, data: { role: 'ADMIN' } }),
    ],
    'a protected member by `set`': [
      'FORBIDDEN',
      (_, { db }) => db.user.update({ where: { id: developer.id }, data: { role: { set: 'ADMIN' } } }),
    ],
    'a hidden member written': [
      'INTERNAL',
      (_, { db }) => db.user.update({ where: { id: developer.id }, data: { passwordHash: 'x' } as never }),
      /passwordHash/,
    ],
    'a hidden member selected': [
      'INTERNAL',
      (_, { db }) => db.user.findMany({ select: { passwordHash: true } as never }),
      /hidden/,
    ],
    'a hidden member below': [
      'INTERNAL',
      (_, { db }) => db.post.findMany({ select: { author: { select: { emailKey: true } as never } } }),
      /hidden/,
    ],
    'a hidden member in `where`': [
      'INTERNAL',
      (_, { db }) => db.post.count({ where: { author: { passwordHash: { startsWith: '$' } } } as never }),
      /hidden/,
    ],
    'a hidden member in `orderBy`': [
      'INTERNAL',
      (_, { db }) => db.post.findMany({ orderBy: { author: { emailKey: 'asc' } } as never }),
      /hidden/,
    ],
    'a hidden member aggregated': [
      'INTERNAL',
      (_, { db }) => db.user.aggregate({ _max: { passwordHash: true } as never }),
      /hidden/,
    ],
    'raw SQL': ['INTERNAL', (_, { db }) => (db as never as PrismaClient).$queryRaw`SELECT 1`, /no raw access/],
    'a transaction of its own': [
      'INTERNAL',
      (_, { db }) => (db as never as PrismaClient).$transaction([]),
      /one transaction already/,
    ],
    'a model that is not declared': ['INTERNAL', (_, { db }) => db.session.deleteMany(), /declare the model/],
    'a relation to a model that is not declared': [
      'INTERNAL',
      (_, { db }) => db.user.findMany({ include: { sessions: true } }),
      /declare the model/,
    ],
    'a filter by a model that is not declared': [
      'INTERNAL',
      (_, { db }) => db.user.findMany({ where: { sessions: { some: {} } } }),
      /declare the model/,
    ],
    'an upsert': [
      'INTERNAL',
      (_, { db }) =>
        (db as never as PrismaClient).post.upsert({
          where: { id },
          create: { authorId: developer.id, title: 'x' },
          update: {},
        }),
      /db\.post\.upsert is not available/,
    ],
    'a nested write': [
      'INTERNAL',
      (_, { db }) => db.post.update({ where: { id }, data: { author: { connect: { id: admin.id } } } }),
      /write `author` with a call of its own model/,
    ],
    'a nested create': [
      'INTERNAL',
      (_, { db }) =>
        db.post.create({
          data: { title: 'x', authorId: developer.id, comments: { create: { authorId: admin.id, text: 'x' } } },
        }),
      /write `comments`/,
    ],
    '`undefined` in a filter': [
      'INTERNAL',
      (_, { db }) => db.comment.deleteMany({ where: { postId: undefined as never } }),
      /explicitly `undefined` values are not allowed/,
    ],
    'an id that the database makes': [
      'INTERNAL',
      (_, { db }) => db.post.create({ data: { id: 888_888, authorId: developer.id, title: 'x' } }),
      /the database makes `id`/,
    ],
    'ids of many rows': [
      'INTERNAL',
      (_, { db }) => db.comment.createMany({ data: [{ id: 888_888, postId: id, authorId: developer.id, text: 'x' }] }),
      /the database makes `id`/,
    ],
    'another id of a row': [
      'INTERNAL',
      (_, { db }) => db.post.update({ where: { id }, data: { id: 888_888 } }),
      /the database makes `id`/,
    ],
    'another id of a row by `set`': [
      'INTERNAL',
      (_, { db }) => db.post.update({ where: { id }, data: { id: { set: 888_888 } } }),
      /the database makes `id`/,
    ],
    'another id of a row by `increment`': [
      'INTERNAL',
      (_, { db }) => db.post.update({ where: { id }, data: { id: { increment: 1 } } }),
      /the database makes `id`/,
    ],
    'another id of many rows': [
      'INTERNAL',
      (_, { db }) => db.post.updateMany({ where: { id }, data: { id } }),
      /the database makes `id`/,
    ],
    'a member of the data that is unknown': [
      'INTERNAL',
      (_, { db }) => db.post.update({ where: { id }, data: { stars: 1 } as never }),
      /no member `stars`/,
    ],
    'a member of a call that is unknown': [
      'INTERNAL',
      (_, { db }) => db.post.deleteMany({ were: { id } } as never),
      /`were` is not an argument/,
    ],
    'parameters in the form that Prisma has for itself': [
      'INTERNAL',
      (_, { db }) =>
        db.post.findMany({
          where: { author: { __proto__: null, __prismaRawParameters__: true, values: { emailKey: 'x' } } as never },
        }),
      /__prismaRawParameters__/,
    ],
    'a hidden member selected by a number': [
      'INTERNAL',
      (_, { db }) => db.user.findMany({ select: { passwordHash: 1 } as never }),
      /hidden/,
    ],
    'an id of the wrong type': [
      'INTERNAL',
      (_, { db }) => db.post.update({ where: { id: 'abc' as never }, data: { title: 'x' } }),
    ],
    'an id out of range': [
      'NOT_FOUND',
      (_, { db }) => db.post.update({ where: { id: 9_999_999_999 }, data: { title: 'x' } }),
    ],
    'an id that is no number': ['NOT_FOUND', (_, { db }) => db.post.delete({ where: { id: Number('abc') } })],
    'a raw error': ['INTERNAL', () => Promise.reject(new Error('the password is hunter2')), /hunter2/],
    'an error of another service': [
      'INTERNAL',
      () => Promise.reject(Object.assign(new Error('Unauthorized'), { statusCode: 401 })),
    ],
    'a thrown string': ['INTERNAL', () => Promise.reject('an accident')],
  };
  for (const [name, [code, handler, line = /./]] of Object.entries(spoilt))
    t.test(name, async (t) => {
      let text = '';
      const told = await refused(t, code, 'Mutation.updatePost', async () => {
        const answer = await update(id, async (request, operation) => {
          await handler(request, operation);
          return operation.record;
        });
        text = JSON.stringify(answer.errors);
        return answer;
      });
      if (code === 'INTERNAL' && name !== 'a thrown string') t.match(told, line);
      t.notMatch(text, /hunter2|passwordHash|prisma/i);
    });

  /** Calls with a value that was forgotten, which Prisma without strict checks takes as "every row". */
  const forgetful: Record<string, (db: Db) => PromiseLike<unknown>> = {
    'undefined instead of a filter': (db) => db.order.deleteMany({ where: undefined as never }),
    'null instead of a filter': (db) => db.order.deleteMany({ where: null as never }),
    'a filter in a list': (db) => db.order.deleteMany({ where: [] as never }),
    'a row without its value': (db) => db.order.deleteMany({ where: { user: undefined as never } }),
    'a row without its filter': (db) => db.order.deleteMany({ where: { user: { is: undefined as never } } }),
    'a row that has no value': (db) => db.order.deleteMany({ where: { user: { id: undefined as never } } }),
    'rows without their filter': (db) => db.order.deleteMany({ where: { payments: { some: undefined as never } } }),
    'rows without a value': (db) => db.order.deleteMany({ where: { payments: { some: { id: undefined as never } } } }),
    'no condition after AND': (db) => db.order.deleteMany({ where: { AND: undefined as never } }),
    'no condition in AND': (db) => db.order.deleteMany({ where: { AND: [undefined as never] } }),
    'no condition after NOT': (db) => db.order.deleteMany({ where: { NOT: { amount: undefined as never } } }),
    'no limit': (db) => db.order.deleteMany({ limit: undefined as never }),
    'a change of every row': (db) => db.order.updateMany({ where: undefined as never, data: { amount: 1 } }),
    'a change without a limit': (db) => db.order.updateMany({ limit: undefined as never, data: { amount: 1 } }),
    'a change of a row': (db) => db.order.update({ where: undefined as never, data: { amount: 1 } }),
    'no data': (db) => db.order.updateMany({ data: undefined as never }),
    'the first row': (db) => db.order.findFirst({ where: undefined as never }),
    'all rows': (db) => db.order.findMany({ where: { user: { is: undefined as never } } }),
    'the number of rows': (db) => db.order.count({ where: undefined as never }),
    'rows below': (db) => db.order.findMany({ include: { payments: { where: undefined as never } } }),
  };
  for (const [role, person] of Object.entries({ admin, developer, viewer }))
    t.test(`a value that the handler of a call of the ${role} forgot is refused`, async (t) => {
      const pending = await orderOf(person);
      await orderOf(person);
      for (const [name, call] of Object.entries(forgetful)) {
        t.comment(name);
        await refused(t, 'INTERNAL', 'cancelOrder', () => cancel(pending, (_, { db }) => call(db), person));
      }
      const limited: Handler = async (_, { db }) => {
        const { count } = await db.order.deleteMany({ limit: 1, where: { id: { not: pending.id } } });
        const { count: changed } = await db.order.updateMany({
          limit: 1,
          data: { amount: 77, currency: undefined as never },
        });
        t.same([count, changed], [1, 1]);
        throw conflict();
      };
      await refused(t, 'CONFLICT', 'cancelOrder', () => cancel(pending, limited, person));
      const unchanged: Handler = async (_, { db, record: { id } }) => {
        await db.order.update({
          where: { id },
          data: { amount: undefined as never, currency: { set: undefined as never }, status: Prisma.skip },
        });
        throw conflict();
      };
      await refused(t, 'CONFLICT', 'cancelOrder', () => cancel(pending, unchanged, person));
    });

  t.test('writes of many rows affect only rows of the caller', async (t) => {
    await update(id, async (_, { db, record }) => {
      await db.post.updateMany({ data: { content: 'changed' } });
      return record;
    });
    const posts = await client.post.findMany({ where: { content: 'changed' } });
    t.same([...new Set(posts.map(({ authorId }) => authorId))], [developer.id]);
  });

  t.test('the stored row decides the owner of a new row, also through a relation and with any selection', async (t) => {
    const [own, others] = [await orderOf(viewer), await orderOf(developer)];
    // No job of this test settles the payment.
    const dueAt = new Date(Date.now() + 3_600_000);
    await client.payment.create({ data: { orderId: own.id, dueAt } });
    written = {
      createOrder: (_, { db }) => db.payment.create({ data: { orderId: others.id, dueAt }, select: { orderId: true } }),
    };
    const body = { total: { amount: 7, currency: 'EUR' } };
    await refused(t, 'FORBIDDEN', 'createOrder', () =>
      rest('POST', `/api/v1/users/${viewer.id}/orders`, { as: viewer, body }),
    );
  });

  t.test(
    'a handler cannot set the version of a row, and the key of an email address follows the address',
    async (t) => {
      const { id: userId, email } = await service.person('VIEWER').then(async (as) => {
        written = {
          updateUser: async (_, { db, record }) => {
            const user = await db.user.update({
              where: { id: record.id },
              data: { ...record, email: { set: 'Other@example.com' } },
            });
            return { status: 200, headers: { etag: '"x"' }, body: representUser(user, '/api/v1') };
          },
        };
        return (await rest('PATCH', `/api/v1/users/${as.id}`, { as, body: { name: 'N' } })).body;
      });
      t.equal(email, 'Other@example.com');
      t.match(await client.user.findUnique({ where: { id: userId } }), { version: 2, emailKey: 'other@example.com' });
    },
  );

  t.test('a read-only operation and a nested resolver do not write', async (t) => {
    await refused(t, 'INTERNAL', 'Query.post', () =>
      read(id, (_, { db }) => db.post.update({ where: { id }, data: { title: 'x' } })),
    );
    await refused(t, 'INTERNAL', 'Query.post', () =>
      read(id, async (_, { db, record }) => {
        await db.post.delete({ where: { id } }).catch(() => {});
        return record;
      }),
    );
    written = {
      'Query.post': (_, { record }) => record,
      'Post.content': (_, { db }) => db.comment.create({ data: { postId: id, authorId: developer.id, text: 'x' } }),
    };
    const { codes } = await refusedField(t, service, () => graphql(developer, `{ post(id: ${id}) { id content } }`));
    t.same(codes, ['INTERNAL']);
  });

  t.test('an external effect waits for `enforce`, whose rejection a handler cannot catch', async (t) => {
    let effects = 0;
    const handler: Handler = async (_, { db, enforce }) => {
      await enforce();
      effects++;
      return db.post.update({ where: { id }, data: { title: 'x' } });
    };
    await refused(t, 'VALIDATION_FAILED', 'Mutation.updatePost', () => update(id, handler, developer, ''));
    t.equal(effects, 0);
    const catching: Handler = async (_, { enforce, record }) => {
      await enforce().catch(() => {});
      return record;
    };
    await refused(t, 'VALIDATION_FAILED', 'Mutation.updatePost', () => update(id, catching, developer, ''));
  });

  t.test('an error after the commit does not change the answer, and the log names the operation', async (t) => {
    const { codes } = await update(id, (_, { record, onCommit }) => {
      onCommit(() => {
        throw new Error('an accident');
      });
      return record;
    });
    t.same(codes, []);
    t.match(service.log.at(-1), /"operation":"Mutation\.updatePost".*an accident/);
  });

  t.test('a reply that the contract does not declare writes nothing', async (t) => {
    const pending = await orderOf(viewer);
    const replies: Record<string, (body: object) => unknown> = {
      'a status': (body) => ({ ...order, status: 299, body }),
      'a header': (body) => ({ ...order, headers: { ...order.headers, 'x-secret': '1' }, body }),
      'a member of the body': (body) => ({ ...order, body: { ...body, secret: 1 } }),
      'no body': () => order,
      'a body that is no JSON': (body) => ({ ...order, body: { ...body, id: 1n } }),
      nothing: () => undefined,
    };
    for (const [name, reply] of Object.entries(replies))
      await refused(t, 'INTERNAL', 'cancelOrder', () =>
        cancel(
          pending,
          async (_, { db, record }) => {
            t.comment(name);
            const changed = await db.order.update({ where: { id: record.id }, data: { status: 'CANCELLED' } });
            return reply(representOrder(changed, '/api/v1'));
          },
          viewer,
        ),
      );
    t.same(breaches, []);
  });

  t.test('the platform gives an application no database client', async (t) => {
    let kept = {};
    await startInstance(
      t,
      database,
      {},
      {
        changed: {
          ...example,
          services: (platform) => {
            kept = platform;
            return application.services(platform);
          },
        } satisfies Application,
      },
    );
    t.same(Object.keys(kept).sort(), [
      'continuation',
      'environment',
      'jobs',
      'now',
      'outside',
      'production',
      'transact',
    ]);
  });

  // The policy limits reading to `own`.
  t.test('reads are limited to rows within the reach of the role', async (t) => {
    const own = { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' } as const;
    const strict = { 'posts.read': own, 'users.read': own, 'users.list': own };
    const Concealed = { ...Comment, conceal: true };
    const { post: _post, usersConnection: _connection, ...Query } = (example.resolvers as Parts)['Query'] ?? {};
    const service = await startAgain(
      t,
      database,
      { people: { developer } },
      {
        changed: {
          ...example,
          policy: { ...example.policy, ...strict },
          models: models.map((model) => (model.name === 'Comment' ? Concealed : model)),
          resolvers: {
            ...example.resolvers,
            Query: { ...Query, post: (example.resolvers as Parts)['Query']?.['post'], usersConnection: notWritten },
          },
        } as Application,
      },
    );
    const { graphql, refused } = service;
    const own_ = await postOf(viewer);
    const said = await client.comment.create({ data: { postId: own_.id, authorId: admin.id, text: 'Theirs' } });
    const seen = async (query: string) => JSON.stringify((await graphql(viewer, query)).data);

    t.test('a list and its nested rows contain only rows of the caller', async (t) => {
      t.match(await seen('{ posts { id } }'), `{"posts":[{"id":"${own_.id}"}]}`);
      t.match(await seen('{ users { id } }'), `{"users":[{"id":"${viewer.id}"}]}`);
      t.notMatch(await seen('{ me { posts { comments { text } } } }'), 'Theirs');
      const { codes } = await graphql(viewer, `{ user(id: ${admin.id}) { posts { id } } }`);
      t.same(codes, ['FORBIDDEN']);
    });

    t.test('a nested row of another account is the only part that is denied', async (t) => {
      const messages = await client.message.create({ data: { channelId: 'strict', authorId: admin.id, text: 'Hm' } });
      const { data, codes } = await graphql(viewer, '{ messages(channelId: "strict") { id author { name } } }');
      t.same([data, codes], [{ messages: null }, ['FORBIDDEN']], `${messages.id}`);
    });

    const reads: Record<string, (db: Db) => PromiseLike<unknown>> = {
      'a list': (db) => db.post.findMany(),
      'an include': (db) => db.post.findMany({ include: { comments: true } }),
      'an include in a select': (db) => db.user.findMany({ select: { posts: { include: { comments: true } } } }),
      'a row with its owner': (db) => db.comment.findMany({ include: { author: true } }),
      'one row': (db) => db.post.findUnique({ where: { id: foreign.id } }),
      'one row of many': (db) => db.post.findFirst({ where: { id: foreign.id } }),
      'a filter by rows of others': (db) => db.post.findMany({ where: { comments: { some: { text: 'Theirs' } } } }),
      'the same, turned round': (db) =>
        db.post.findMany({ where: { NOT: [{ comments: { none: { text: 'Theirs' } } }] } }),
    };
    for (const [name, call] of Object.entries(reads))
      t.test(name, async (t) => {
        let found = '';
        written = {
          'Query.post': async (_, { db, record }) => {
            found = JSON.stringify(await call(db));
            return record;
          },
        };
        t.same((await graphql(viewer, `{ post(id: ${own_.id}) { id } }`)).codes, []);
        t.notMatch(found, /Theirs|"authorId":[12]\b/);
        if (/turned|others/.test(name)) t.equal(found, '[]');
      });

    t.test('counts, orders and cursors reveal nothing about other rows', async (t) => {
      let counted: unknown;
      written = {
        'Query.post': async (_, { db, record }) => {
          const { _count } = await db.post.findUniqueOrThrow({ where: { id: own_.id }, select: { _count: true } });
          const { _max } = await db.post.aggregate({ _max: { authorId: true }, _min: { authorId: true } });
          counted = [_count.comments, await db.post.count(), _max.authorId];
          return record;
        },
      };
      await graphql(viewer, `{ post(id: ${own_.id}) { id } }`);
      t.same(counted, [1, 1, viewer.id]);
      const inOrder: Record<string, (db: Db) => PromiseLike<unknown>> = {
        'the order of related rows': (db) => db.user.findMany({ orderBy: { posts: { _count: 'desc' } } }),
        'the place of a row of another': (db) =>
          db.post.findMany({ cursor: { id: foreign.id }, orderBy: { title: 'asc' } }),
      };
      for (const call of Object.values(inOrder)) {
        written = { 'Query.post': (_, { db }) => call(db) };
        await refused(t, 'INTERNAL', 'Query.post', () => graphql(viewer, `{ post(id: ${own_.id}) { id } }`));
      }
    });

    t.test('a concealed row of another account is as absent as a deleted one', async (t) => {
      const edit = (of: number) => graphql(developer, `mutation { updateComment(id: ${of}, text: "x") { id } }`);
      await refused(t, 'NOT_FOUND', 'Mutation.updateComment', () => edit(said.id));
      await client.comment.delete({ where: { id: said.id } });
      await client.tombstone.create({ data: { kind: 'COMMENT', id: said.id } });
      await refused(t, 'NOT_FOUND', 'Mutation.updateComment', () => edit(said.id));
    });

    t.test('a root field without a resolver is 501', async (t) => {
      t.same((await graphql(viewer, '{ usersConnection { edges { node { id } } } }')).codes, ['NOT_IMPLEMENTED']);
    });

    t.test('a write of a row without an owner is denied if the action reaches `own`', async (t) => {
      const Ownerless = { ...Message, owner: undefined, owned: false };
      const again = await startAgain(
        t,
        database,
        { people: { developer } },
        {
          changed: {
            ...example,
            models: models.map((model) => (model.name === 'Message' ? Ownerless : model)),
            resolvers: {
              ...example.resolvers,
              Mutation: {
                ...(example.resolvers as Parts)['Mutation'],
                addMessage: notWritten,
                deleteMessage: notWritten,
              },
            },
          } as Application,
        },
      );
      const line = await again.refused(t, 'INTERNAL', 'Mutation.updatePost', () =>
        again.update(id, (_, { db }) => db.message.deleteMany()),
      );
      t.match(line, /model\('Message'\) has no `owner`/);
    });
  });

  t.test('a mistake in a declaration prevents the start', async (t) => {
    const withModel = (name: string, change: object) =>
      ({
        ...example,
        models: models.map((model) => (model.name === name ? { ...model, ...change } : model)),
      }) as Application;
    const reply = (() => ({})) as never;
    const handler = (() => ({})) as never;
    const applications: [RegExp, Application][] = [
      [
        /model\('Post'\): `owner` gives a filter that Prisma takes as "every row"/,
        withModel('Post', { owner: () => ({}) }),
      ],
      [/model\('Post'\): `owner` gives a filter/, withModel('Post', { owner: () => undefined })],
      [/model\('Post'\): `owner` gives a filter/, withModel('Post', { owner: () => ({ OR: [] }) })],
      [/model\('Post'\): `owner` gives a filter/, withModel('Post', { owner: () => ({ authorId: undefined }) })],
      [/`owner` names `writer`/, withModel('Post', { owner: () => ({ writer: 1 }) })],
      [/`protect` names `stars`/, withModel('Post', { protect: { stars: 'posts.update' } })],
      [/`stream\.key` names `room`/, withModel('Message', { stream: { key: 'room' } })],
      [/`stream\.include` names `likes`/, withModel('Message', { stream: { include: { likes: true } } })],
      [/`stream\.include\.comments` is a list/, withModel('Post', { stream: { include: { comments: true } } })],
      [/model\('Post'\): `read` names the action posts\.see/, withModel('Post', { read: 'posts.see' })],
      [
        /model\('Order'\): add an `owner`, because orders\.read reaches `own`/,
        withModel('Order', { owner: undefined, owned: false }),
      ],
      [
        /prisma\/schema\.prisma has no such model/,
        { ...example, models: [...models, { ...Post, name: 'Poem' as never }] },
      ],
      [/cancelOrder needs orders\.cancel: write route/, changed({ orders: { cancelOrder: handler } })],
      [/Mutation\.deletePost needs posts\.delete: write route/, changed({}, { Mutation: { deletePost: handler } })],
      [
        /Mutation\.deletePost: posts\.delete reaches `own`, but the target does not name a stored row/,
        changed({}, { Mutation: { deletePost: route({ target: create(Post), handler, reply }) } }),
      ],
      [
        /Mutation\.createPost: a route that creates needs a handler/,
        changed({}, { Mutation: { createPost: route({ target: create(Post) }) } }),
      ],
      [
        /cancelOrder: the target names `orderId`, and the operation has no such parameter \(order_id\)/,
        changed({ orders: { cancelOrder: route({ target: record(Order, 'orderId'), reply }) } }),
      ],
      [
        /Mutation\.deletePost: the target names `post`/,
        changed({}, { Mutation: { deletePost: route({ target: record(Post, 'post'), reply }) } }),
      ],
      [
        /getUserOrder: Post must refer to Order/,
        changed({
          orders: {
            getUserOrder: route({ target: record(Post, 'order_id', { of: record(Order, 'user_id') }), reply }),
          },
        }),
      ],
      [
        /Subscription\.messageAdded: declare `stream` in model\('Post'\)/,
        changed({}, { Subscription: { messageAdded: route({ target: stream(Post) }) } }),
      ],
      [
        /the role viewer may subscribe \(messages\.subscribe\) and may not read all rows/,
        {
          ...example,
          policy: { ...example.policy, 'messages.read': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' } },
        },
      ],
      [
        /messages\.subscribe reaches `own`, but all subscribers share a stream/,
        {
          ...example,
          policy: { ...example.policy, 'messages.subscribe': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' } },
        },
      ],
      [
        /add Comment to the `models` of the application/,
        { ...example, models: models.filter(({ name }) => name !== 'Comment') },
      ],
    ];
    for (const [message, other] of applications)
      await t.rejects(startInstance(t, database, {}, { changed: other }), { message }, String(message));
    const contract = readGeneratedContract();
    const startWith = async (type: string, field: string) => {
      const schema = contract.schema.replace(`type ${type} {`, `$&\n  ${field}\n`);
      const contracts = await publishedContracts({ ...contract, schema });
      return startInstance(t, database, {}, { changed: example, contracts, coverage: false } as never);
    };
    await t.rejects(startWith('Post', 'stars: Int'), /Post\.stars: model Post has no such member\. Write a resolver/);
    await t.rejects(startWith('User', 'emailKey: String'), /User\.emailKey is hidden from operations/);
  });
});

/** Asserts that a field fails, that its parent is returned, and that nothing is written. */
async function refusedField(
  t: Test,
  { client, log }: { client: PrismaClient; log: string[] },
  request: () => Promise<GraphQLAnswer>,
) {
  const before = await contentOf(client);
  const answer = await request();
  t.same(await contentOf(client), before, 'nothing is written');
  t.match(log.at(-1), /"operation":"Post\.content"/);
  return answer;
}
