import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import fc from 'fast-check';
import t from 'tap';
import { callLog, endCalls } from '../../../src/platform/core/operations/call-transaction.js';
import { guardedClient } from '../../../src/platform/core/operations/guarded-client.js';
import { declaredModels } from '../../../src/platform/core/operations/model-data.js';
import { dataModel, Prisma, PrismaClient } from '../../../src/platform/database/client.js';
import { model, User } from '../../../src/platform/index.js';
import { onEachDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';

/** 2,000 calls take a minute, and `npm run faults` draws them. */
const RUNS = process.env['FAULTS'] === 'whole' ? 2000 : process.env['CI'] === 'true' ? 400 : 150;
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);

const ACTION = 'rows.use';
const policy = {
  [ACTION]: { OWN: 'own', ANY: 'any' },
  'users.read': { OWN: 'any', ANY: 'any' },
} as const;
const owner = (caller: { id: number }) => ({ authorId: caller.id });
const models = declaredModels(
  [User, model('Post', { read: ACTION, owner }), model('Comment', { read: ACTION, owner })],
  dataModel,
  { User: { hidden: { emailKey: true, passwordHash: true } } },
);

/** Returns the access of a call whose transaction is `tx`. */
function accessIn(tx: PrismaClient, call: { readonly actor: never }): never {
  const get = async () => tx;
  const transactions = { reader: get, transaction: get, ahead: get };
  return { call, action: ACTION, actor: () => call.actor, ...transactions, onCommit: () => {} } as never;
}

type Any = fc.Arbitrary<unknown>;
const some = (members: Record<string, Any>, most = 3) =>
  fc
    .subarray(Object.keys(members), { maxLength: Math.min(most, Object.keys(members).length) })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, members[name] as Any]))));
/** What a forgotten value, a cleared one, and a skipped one look like. */
const nothing = fc.constantFrom(undefined, null, Prisma.skip, undefined, Prisma.skip);
const perhaps = (value: Any, odd: Any = nothing) =>
  fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: odd });
const every = (members: Record<string, Any>, odd?: Any) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, perhaps(value, odd)]));

const id = fc.integer({ min: 0, max: 9 });
const title = fc.constantFrom('a', 'b', 'c');
const comparison = (value: Any) =>
  fc.oneof(
    value,
    some(every({ equals: value, not: value, in: fc.array(value, { maxLength: 4 }), gte: value, lt: value }), 2),
    some({ not: some(every({ equals: value, in: fc.array(value) }), 1) }),
  );

const where = fc.letrec((tie) => {
  const list = (of: string) => fc.array(perhaps(tie(of), fc.constantFrom(undefined, Prisma.skip)), { maxLength: 2 });
  const logical = (of: string) => ({
    AND: fc.oneof(tie(of), list(of)),
    OR: list(of),
    NOT: fc.oneof(tie(of), list(of)),
  });
  const one = (of: string) => fc.oneof(tie(of), some(every({ is: tie(of), isNot: tie(of) }), 2));
  const many = (of: string) => some(every({ some: tie(of), every: tie(of), none: tie(of) }), 2);
  const of = (name: string, members: Record<string, Any>) =>
    fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      some(every({ id: comparison(id), text: fc.constant('unknown') }), 1),
      some(every({ ...members, ...logical(name) }), 2),
    );
  return {
    user: of('user', { name: comparison(title), posts: many('post'), comments: many('comment') }),
    post: of('post', { title: comparison(title), author: one('user'), comments: many('comment') }),
    comment: of('comment', { text: comparison(title), author: one('user'), post: one('post') }),
  };
});

const order = (text: string) =>
  some(
    every({ id: fc.constantFrom('asc', 'desc'), [text]: fc.constant('asc'), author: fc.constant({ name: 'asc' }) }),
    2,
  );
const size = fc.integer({ min: 0, max: 3 });

const selections = fc.letrec((tie) => {
  const yes = fc.constantFrom(true, true, false, undefined, Prisma.skip);
  const counts = (lists: Record<string, Any>) => fc.oneof(fc.constant(true), fc.record({ select: some(every(lists)) }));
  const list = (name: string, text: string) =>
    fc.oneof(
      fc.constant(true),
      tie(name).chain((selected) =>
        some(every({ where: where[name as 'post'], take: size, orderBy: order(text) })).map((given) => ({
          ...(selected as object),
          ...given,
        })),
      ),
    );
  const filter = (name: 'post' | 'comment') => fc.oneof(fc.constant(true), fc.record({ where: where[name] }));
  const of = (scalars: string[], relations: Record<string, Any>) => {
    const related = { ...every(relations, yes), _count: perhaps(counts({}), yes) };
    const all = { ...Object.fromEntries(scalars.map((name) => [name, yes])), ...related };
    const omit = some(Object.fromEntries(scalars.slice(1).map((name) => [name, yes])));
    return fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      fc.constant({}),
      fc.record({ select: perhaps(some(all)) }),
      fc.record({ include: perhaps(some(relations)), omit: perhaps(omit) }),
      fc.record({ select: some(all), include: some(related) }),
    );
  };
  return {
    user: of(['id', 'name'], { posts: list('post', 'title'), comments: list('comment', 'text') }),
    post: of(['id', 'title'], {
      author: tie('user'),
      comments: list('comment', 'text'),
      _count: counts({ comments: filter('comment') }),
    }),
    comment: of(['id', 'text'], { author: tie('user'), post: tie('post') }),
  };
});

/** An operation with its arguments. */
const drawnCall = fc.constantFrom('post' as const, 'comment' as const).chain((name) => {
  const text = name === 'post' ? 'title' : 'text';
  const unique = fc.oneof(
    fc.record({ id }),
    fc.tuple(id, where[name]).map(([of, more]) => ({ ...(more as object), id: of })),
  );
  const data = some(every({ [text]: title, content: title, createdAt: fc.constant({ set: new Date(0) }) }), 2).map(
    (drawn) => (name === 'post' ? drawn : { ...(drawn as object), content: undefined }),
  );
  const orderBy = order(text).map((given) => [given, { id: 'asc' }]);
  const range = { where: where[name], orderBy, take: size, skip: size };
  const selected = (members: Record<string, Any>, must: Record<string, Any> = {}) =>
    fc
      .tuple(selections[name], some(every(members), 4), fc.record(must))
      .map((drawn) => Object.assign({}, ...drawn) as object);
  const names = fc.constantFrom('id', text);
  const list = selected({ ...range, distinct: fc.array(names, { maxLength: 2 }) }, { orderBy });
  const unknown = { foo: fc.constant(1) };
  const aggregates = every({
    _count: fc.constant(true),
    _max: some({ id: fc.constant(true) }),
    _min: fc.constant({ id: true }),
  });
  const calls: Record<string, Any> = {
    findUnique: selected({}, { where: perhaps(unique) }),
    findUniqueOrThrow: selected({}, { where: perhaps(unique) }),
    findFirst: list,
    findFirstOrThrow: list,
    findMany: list,
    count: some(every({ ...range, select: fc.constant({ _all: true, id: true }) }), 4),
    aggregate: fc.tuple(some(every(range)), some(aggregates)).map((drawn) => Object.assign({}, ...drawn) as object),
    update: selected({}, { where: perhaps(unique), data }),
    updateMany: fc
      .tuple(some(every({ where: where[name], limit: size })), fc.record({ data }))
      .map((drawn) => Object.assign({}, ...drawn) as object),
    delete: selected({}, { where: perhaps(unique) }),
    deleteMany: some(every({ where: where[name], limit: size })),
  };
  const operation = fc.oneof(
    fc.constantFrom(...Object.keys(calls)),
    fc.constantFrom('deleteMany', 'findMany', 'updateMany'),
  );
  return operation.chain((made) =>
    fc.tuple(
      fc.constant(name),
      fc.constant(made),
      fc.oneof({ weight: 30, arbitrary: calls[made] as Any }, { weight: 1, arbitrary: some(unknown) }),
    ),
  );
});

interface Outcome {
  value?: unknown;
  error?: unknown;
}
/** Members that are hidden, and lists of models that are not declared. */
const HIDDEN = ['emailKey', 'passwordHash', 'messages', 'orders', 'sessions', 'idempotencyKeys', 'networks'];
class RolledBack extends Error {}

/** Returns what the error means. The guard may refuse an argument itself, and hides rows beyond the reach. */
function described({ value, error }: Outcome): unknown {
  if (error === undefined)
    return JSON.parse(JSON.stringify(value, (member, content) => (HIDDEN.includes(member) ? undefined : content)));
  const { name, code } = error as { name: string; code?: string };
  if (name === 'TypeError' || name === 'PrismaClientValidationError') return 'invalid';
  return ['P2025', 'NOT_FOUND', 'FORBIDDEN'].includes(code ?? '') ? 'not found' : [name, code, String(error)];
}

/** Members that have no value are not written. */
const withoutNothing = (args: Json) => {
  if (args?.data === undefined) return args;
  const written = Object.entries(args.data).filter(([, value]) => value !== undefined && value !== Prisma.skip);
  return { ...args, data: Object.fromEntries(written) };
};

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const plain = database.url ? new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url }) }) : client;
  if (plain !== client) t.teardown(() => plain.$disconnect());
  const [me, other] = await Promise.all(
    ['me', 'other'].map((name) => client.user.create({ data: { name, email: name, emailKey: name, role: 'OWN' } })),
  );
  const mine = me?.id as number;
  const others = other?.id as number;
  for (const [i, authorId] of [mine, others, mine, others, mine].entries()) {
    const { id: postId } = await client.post.create({ data: { authorId, title: ['a', 'b'][i % 2] as string } });
    // The reach contains the parents of its rows.
    for (const by of authorId === mine ? [mine, others] : [others])
      await client.comment.create({ data: { postId, authorId: by, text: i > 2 ? 'b' : 'a' } });
  }

  const rowsIn = async (tx: PrismaClient) => [
    await tx.post.findMany({ orderBy: { id: 'asc' } }),
    await tx.comment.findMany({ orderBy: { id: 'asc' } }),
  ];
  /** Runs a call, reads all rows, and rolls back. */
  async function outcomeOf(on: PrismaClient, run: (tx: PrismaClient) => Promise<unknown>) {
    let outcome: Outcome = {};
    let rows: Json[][] = [];
    await on
      .$transaction(async (tx) => {
        outcome = await run(tx as PrismaClient).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        if (outcome.error === undefined) rows = await rowsIn(tx as PrismaClient);
        throw new RolledBack();
      })
      .catch((error: unknown) => {
        if (!(error instanceof RolledBack)) throw error;
      });
    return { outcome, rows };
  }

  t.test('a value that the column cannot store keeps the meaning of its filter', async (t) => {
    const MOST = 2_147_483_647;
    const actor = { id: mine, role: 'ANY', mechanism: 'jwt' } as never;
    const call = { policy, actor, address: '', requestId: '', enforce: async () => {} };
    const declared = declaredModels(
      [User, model('Post', { read: ACTION }), model('Session', { read: ACTION })],
      dataModel,
      {
        User: { hidden: { emailKey: true, passwordHash: true } },
      },
    );
    const { outcome } = await outcomeOf(client, async (tx) => {
      const access = accessIn(tx, call);
      const db = guardedClient(declared, new Map(), access, callLog('test', true)) as Json;
      await tx.post.deleteMany({});
      for (const id of [1, 5, MOST]) await tx.post.create({ data: { id, authorId: mine, title: 'a' } });
      const idsFor = async (filter: object) =>
        (await db.post.findMany({ where: filter, orderBy: { id: 'asc' } })).map((row: Json) => row.id);
      for (const great of [MOST + 1, 3e9, 1e300]) {
        for (const operator of ['lt', 'lte']) {
          t.same(await idsFor({ id: { [operator]: great } }), [1, 5, MOST], `${operator} ${great}`);
          t.same(await idsFor({ id: { [operator]: -great - 1 } }), [], `${operator} -${great}`);
        }
        for (const operator of ['gt', 'gte']) {
          t.same(await idsFor({ id: { [operator]: great } }), [], `${operator} ${great}`);
          t.same(await idsFor({ id: { [operator]: -great - 1 } }), [1, 5, MOST], `${operator} -${great}`);
        }
        t.same(await idsFor({ id: { lt: great, lte: 5, gt: -great - 1 } }), [1, 5]);
        t.same(await idsFor({ id: { lt: great, equals: great, in: [5] } }), []);
        t.same(await idsFor({ NOT: { id: { equals: great } } }), [1, 5, MOST]);
        t.same(await idsFor({ id: { not: { lt: great } } }), []);
        t.same(await idsFor({ id: { notIn: [great, 5] } }), [1, MOST]);
        await t.rejects(idsFor({ id: { lt: great, lte: undefined } }), { name: 'PrismaClientValidationError' });
        t.match(await db.post.findUnique({ where: { id: 5, NOT: { authorId: great } } }), { id: 5 });
        t.match(await db.post.findUnique({ where: { id: 5, OR: [{ authorId: great }, { id: 5 }] } }), { id: 5 });
        const none = [{ id: great }, { id: 5, authorId: great }, { id: 5, AND: [{ authorId: great }] }];
        const found = await Promise.all([...none, { id: 5 }].map((where) => db.post.findUnique({ where: where })));
        t.same(
          found.map((row) => row?.id),
          [undefined, undefined, undefined, 5],
        );
        await t.rejects(db.post.findUnique({ where: { id: great, title: undefined } }), {
          name: 'PrismaClientValidationError',
        });
      }

      const session = { userId: mine, expiresAt: new Date(0) };
      const [keep, gone] = [randomUUID(), randomUUID()];
      for (const id of [keep, gone]) await tx.session.create({ data: { ...session, id } as never });
      const unknown = { where: { NOT: { id: { equals: keep, like: keep } } } };
      await t.rejects(db.session.deleteMany(unknown), { name: 'PrismaClientValidationError' });
      await db.session.deleteMany({ where: { NOT: { id: { equals: keep, mode: 'default' } } } });
      t.same(await tx.session.findMany({ select: { id: true } }), [{ id: keep }]);
    });
    if (outcome.error !== undefined) throw outcome.error;
  });

  const all = await rowsIn(client);
  const isMine = ({ authorId }: Json) => authorId === mine;

  for (const role of ['OWN', 'ANY'] as const) {
    const actor = { id: mine, role, mechanism: 'jwt' } as never;
    const call = { policy, actor, address: '', requestId: '', enforce: async () => {} };
    const guarded = async (tx: PrismaClient, [name, operation, args]: [string, string, object]) => {
      const log = callLog('test', true);
      const access = accessIn(tx, call);
      const db = guardedClient(models, new Map(), access, log) as Json;
      const value = await db[name][operation](args);
      await endCalls(log);
      return value;
    };
    t.test(`calls of a caller that reaches ${role} rows are those of Prisma on the rows in reach`, async (t) => {
      const counts = { invalid: 0, found: 0, refused: 0 };
      for (const drawn of fc.sample(drawnCall, { numRuns: RUNS, seed: SEED })) {
        const [name, operation, args] = drawn as [string, string, Json];
        const theirs = await outcomeOf(plain, async (tx) => {
          if (role === 'OWN') {
            await tx.$executeRaw`DELETE FROM posts WHERE author_id <> ${mine}`;
            await tx.$executeRaw`DELETE FROM comments WHERE author_id <> ${mine}`;
          }
          const given = withoutNothing(args);
          if (operation === 'update' && Object.keys(given.data).length === 0) {
            const { data: _none, ...rest } = given;
            return (tx as Json)[name].findUniqueOrThrow(rest);
          }
          return (tx as Json)[name][operation](given);
        });
        const ours = await outcomeOf(client, (tx) => guarded(tx, [name, operation, args]));
        const shown = `${name}.${operation}(${fc.stringify(args)}): ${ours.outcome.error ?? theirs.outcome.error ?? ''}`;
        const [expected, got] = [described(theirs.outcome), described(ours.outcome)];
        if (/may not read all rows|order by the members|read the relations/.test(String(ours.outcome.error))) {
          counts.refused++;
          continue;
        }
        t.notMatch(JSON.stringify(ours.outcome.value ?? null), /emailKey|passwordHash/);
        // A row that is not there is reported before the arguments.
        const isEarly = got === 'not found' && expected === 'invalid' && ['update', 'delete'].includes(operation);
        if (!isEarly) t.same(got, expected, shown);
        if (ours.outcome.error !== undefined || theirs.outcome.error !== undefined) {
          counts.invalid++;
          continue;
        }
        counts.found++;
        const inReach = ours.rows.map((rows) => rows.filter((row) => role === 'ANY' || isMine(row)));
        // SQL does not define which rows a `limit` takes: their number is compared above.
        if (typeof args.limit !== 'number') t.same(inReach, theirs.rows, `${shown}: rows in reach`);
        if (role === 'OWN' && operation !== 'deleteMany' && operation !== 'delete')
          t.same(
            ours.rows.map((rows) => rows.filter((row) => !isMine(row))),
            all.map((rows) => rows.filter((row) => !isMine(row))),
            `${shown}: other rows`,
          );
      }
      t.comment(counts);
    });
  }
});
