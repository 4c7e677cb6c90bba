import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import t, { type Test } from 'tap';
import { recordingsOf, statisticsOf } from '../../src/prepared-prisma/calls.js';
import { type Options, preparedClient } from '../../src/prepared-prisma/prepared-client.js';
import { type Db, dataModel, make, type Opened, onEachDatabase, Prisma } from './fixture.js';

let labels = 0;
const label = () => `label ${++labels}`;
const recordAtOnce = { recordings: Number.POSITIVE_INFINITY };
const clientOn = (pool: pg.Pool, options: Options = {}): Db =>
  preparedClient(make, pool, dataModel, { ...recordAtOnce, ...options });

/** Repeats a call until its plan is recorded. */
async function warm(db: Db, call: (db: Db) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await call(db);
    await recordingsOf(db);
  }
}

async function transactions(t: Test, { pool: poolOf, kind }: Opened, options: object): Promise<void> {
  const pool = poolOf(options);
  const db = clientOn(pool);
  await warm(db, (db) => db.tag.create({ data: { label: label() } }));
  const count = (start: string) => db.tag.count({ where: { label: { startsWith: start } } });
  await warm(db, () => count('label'));

  t.test('prepared calls, fallbacks and raw queries of a transaction share one connection', async (t) => {
    const [one, two] = [label(), label()];
    await db.$transaction(async (tx: Db) => {
      const tag = await tx.tag.create({ data: { label: one } });
      const post = await tx.post.create({
        data: { title: two, author: { connect: { id: 1 } }, tags: { connect: { id: tag.id } } },
        include: { tags: true },
      });
      t.strictSame(post.tags, [tag]);
      t.strictSame(await tx.$queryRaw`SELECT count(*)::int AS n FROM tags WHERE label = ${one}`, [{ n: 1 }]);
      await tx.post.update({ where: { id: post.id }, data: { content: 'x' } });
      t.equal((await tx.post.findUniqueOrThrow({ where: { id: post.id } })).content, 'x');
    });
    t.equal(await db.tag.count({ where: { label: one } }), 1);
  });

  t.test('an exception rolls back, with and without fallbacks', async (t) => {
    for (const falls of [true, false]) {
      const name = `${label()} back`;
      const work = db.$transaction(async (tx: Db) => {
        await tx.tag.create({ data: { label: name } });
        if (falls) await tx.tag.create({ data: { label: `${name}2`, posts: { connect: { id: 5 } } } });
        throw new RangeError('no');
      });
      await t.rejects(work, RangeError);
      t.equal(await count(name), 0);
    }
    t.equal(pool.totalCount, pool.idleCount, 'every connection was given back');
  });

  t.test("an error in a transaction equals Prisma's, and aborts it", async (t) => {
    const name = label();
    await db.tag.create({ data: { label: name } });
    const work = db.$transaction(async (tx: Db) => {
      await tx.tag.create({ data: { label: `${name} next` } });
      await tx.tag.create({ data: { label: name } });
    });
    await t.rejects(work, { code: 'P2002', meta: { modelName: 'Tag' } });
    await work.catch((error: unknown) => t.ok(error instanceof Prisma.PrismaClientKnownRequestError));
    t.equal(await count(`${name} next`), 0);
  });

  t.test('a transaction with a failed statement is not reported as committed', async (t) => {
    const work = db.$transaction(async (tx: Db) => {
      await tx.tag.create({ data: { label: 'tag 1' } }).catch(() => {});
    });
    await t.rejects(work, { code: 'P2028', message: /rolled back/ });
  });

  t.test('transactions support isolation levels and lists of calls, and refuse calls after the end', async (t) => {
    const shown = (tx: Db) => tx.$queryRaw`SHOW transaction_isolation`;
    const level = await db.$transaction(shown, { isolationLevel: 'Serializable' });
    t.strictSame(level, [{ transaction_isolation: 'serializable' }]);
    const name = label();
    const list = [
      db.tag.create({ data: { label: name } }),
      db.tag.count({ where: { label: name } }),
      db.$queryRaw`SELECT 1 AS one`,
      db.tag.aggregate({ _count: true }),
    ];
    const [made, found, raw] = await db.$transaction(list);
    t.strictSame([made.label, found, raw], [name, 1, [{ one: 1 }]]);
    const next = `${name} next`;
    const failing = [db.tag.create({ data: { label: next } }), db.tag.create({ data: { label: name } })];
    await t.rejects(db.$transaction(failing), { code: 'P2002' });
    t.equal(await count(next), 0);
    let after: Db;
    await db.$transaction(async (tx: Db) => {
      after = tx;
    });
    await t.rejects(async () => after.tag.count({ where: { label: { startsWith: name } } }), { code: 'P2028' });
    t.equal(after.$disconnect, undefined);
  });

  t.test("transactions have Prisma's time limits", async (t) => {
    const name = `${label()} late`;
    const late = async (tx: Db) => {
      await tx.tag.create({ data: { label: name } });
      await delay(80);
      await tx.tag.create({ data: { label: `${name}2` } });
    };
    await t.rejects(db.$transaction(late, { timeout: 20 }), { code: 'P2028', message: /expired transaction/ });
    const idle = () => delay(60);
    await t.rejects(db.$transaction(idle, { timeout: 20 }), { code: 'P2028', message: /commit cannot be executed/ });
    t.equal(await count(name), 0);
    const sleeping = (tx: Db) => tx.$queryRaw`SELECT pg_sleep(1)::text`;
    if (kind === 'postgresql') {
      const startedAt = Date.now();
      await t.rejects(db.$transaction(sleeping, { timeout: 50 }), { code: 'P2028' });
      t.ok(Date.now() - startedAt < 900, 'a statement that takes too long is not waited for');
    }
    const held = Promise.all(
      Array.from({ length: pool.options.max }, () => db.$transaction(() => delay(150), { maxWait: 5000 })),
    );
    await t.rejects(
      db.$transaction(async () => {}, { maxWait: 20 }),
      { code: 'P2028', message: /in the given time/ },
    );
    await held;
    await delay(20);
    t.equal(pool.totalCount, pool.idleCount);
  });

  t.test('simultaneous transactions with fallbacks are isolated', async (t) => {
    const names = Array.from({ length: 4 }, () => `${label()} alone`);
    const one = (name: string, i: number) =>
      db.$transaction(
        async (tx: Db) => {
          const tag = await tx.tag.create({ data: { label: name } });
          await tx.tag.update({ where: { id: tag.id }, data: { posts: { connect: { id: 5 + i } } } });
          const back = await tx.tag.findUnique({
            where: { id: tag.id },
            relationLoadStrategy: 'query',
            include: { posts: { select: { id: true } } },
          });
          t.strictSame(back.posts, [{ id: 5 + i }]);
          if (i % 2 === 1) throw new RangeError('back');
        },
        { maxWait: 5000 },
      );
    await Promise.allSettled(names.map(one));
    t.equal(await db.tag.count({ where: { label: { in: names } } }), 2);
  });
}

async function calls(t: Test, { pool: poolOf, kind }: Opened): Promise<void> {
  const pool = poolOf({ pipeline: true });
  const db = clientOn(pool);

  t.test('a call runs once, when it is awaited', async (t) => {
    const name = label();
    const call = db.tag.create({ data: { label: name } });
    await delay(20);
    t.equal(await db.tag.count({ where: { label: name } }), 0);
    t.strictSame(await call, await call);
    t.equal(Object.prototype.toString.call(call), '[object PrismaPromise]');
    const raw = db.$executeRaw`DELETE FROM tags WHERE label = ${name}`;
    await delay(5);
    t.equal(await db.tag.count({ where: { label: name } }), 1);
    t.equal(await raw, 1);
  });

  t.test('extensions, fields and aggregates work as in Prisma', async (t) => {
    const compute = ({ name }: { name: string }) => name.toUpperCase();
    const extended = db.$extends({ result: { user: { upper: { needs: { name: true }, compute } } } });
    t.equal((await extended.user.findFirstOrThrow({ where: { id: 7 } })).upper, 'NAME 7');
    t.equal(db.user.fields.name.name, 'name');
    t.equal((await db.user.aggregate({ _count: true }))._count, 60);
    t.equal((await db.user.groupBy({ by: ['role'], _count: true })).length, 3);
  });

  t.test('the second use of a shape records it once in the background, and plans are limited', async (t) => {
    const small = clientOn(pool, { plans: 2 });
    const counts = statisticsOf(small);
    const byId = (id: number) => small.user.findFirst({ where: { id }, select: { id: true } });
    t.equal((await byId(1)).id, 1);
    await recordingsOf(small);
    t.match(counts, { recorded: 0, unrecorded: 1 });
    const ids = Array.from({ length: 20 }, (_, i) => i + 1);
    t.strictSame(
      (await Promise.all(ids.map(byId))).map(({ id }) => id),
      ids,
    );
    await recordingsOf(small);
    t.match(counts, { recorded: 1, unrecorded: 21, prepared: 0 });
    await byId(3);
    t.match(counts, { prepared: 1, fallbacks: new Map() });
    for (const field of ['id', 'name', 'email'])
      await warm(small, (db) => db.user.findFirst({ orderBy: { [field]: 'asc' } }));
    t.equal(counts.recorded, 4);
  });

  t.test('the number of recordings per second is limited', async (t) => {
    const limited = clientOn(pool, { recordings: 10 });
    const startedAt = performance.now();
    const shaped = (i: number) =>
      limited.user.findFirst({ where: { OR: Array.from({ length: i }, () => ({ id: 1 })) } });
    for (let i = 1; i < 60; i++) for (let use = 0; use < 2; use++) await shaped(i);
    const { recorded } = statisticsOf(limited);
    const seconds = (performance.now() - startedAt) / 1000;
    t.ok(recorded <= seconds * 10 + 1, `${recorded} in ${seconds} s`);
  });

  t.test('a change of arguments after a call does not change its plan', async (t) => {
    const args = { where: { id: 7 } as object };
    for (let i = 0; i < 2; i++) {
      const call = db.user.findMany(args);
      const answer = call.then();
      args.where = { name: 'name 9', version: 1 };
      await answer;
      await recordingsOf(db);
      args.where = { id: 7 };
    }
    t.strictSame(
      (await db.user.findMany({ where: { id: 9 } })).map(({ id }: { id: number }) => id),
      [9],
    );
  });

  t.test('no invented name has the key of another shape', async (t) => {
    const both = (db: Db) => db.user.findFirst({ where: { id: 7, name: 'name 7' } });
    await warm(db, both);
    for (const name of ['id:int,name', '2:id:int,4:name', 'constructor'])
      await t.rejects(async () => db.user.findFirst({ where: { [name]: 'name 7' } }), {
        name: 'PrismaClientValidationError',
      });
    await t.rejects(async () => db.user.findFirst({ where: { id: { $type: 'Raw', value: 1 } } }));
    await t.rejects(async () => db.user.findFirst({ where: { id: undefined } }), {
      name: 'PrismaClientValidationError',
    });
    await warm(db, (db) => db.user.findFirst({ where: { id: 7, name: Prisma.skip } }));
  });

  t.test('generated values differ for each row, and Prisma generates dates', async (t) => {
    let number = 0;
    const create = (db: Db) => db.event.create({ data: { kind: 'generated', number: ++number } });
    await warm(db, create);
    const before = statisticsOf(db).prepared;
    const one = await create(db);
    await delay(3);
    const other = await create(db);
    t.equal(statisticsOf(db).prepared, before + 2);
    t.match(one.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    t.ok(one.id < other.id && one.at < other.at && one.changed < other.changed);
    t.ok(Math.abs(one.at.getTime() - Date.now()) < 1000);
    await warm(db, (db) => db.day.create({ data: {} }));
    t.ok(statisticsOf(db).fallbacks.has('Day.create: a value is changed in an unknown way'));
  });

  t.test('after a change of a table Prisma runs one call', async (t) => {
    const first = (db: Db) => db.tag.findFirst({ orderBy: { label: 'asc' } });
    await warm(db, first);
    await first(db);
    const raw = () => db.$queryRaw`SELECT * FROM tags ORDER BY id LIMIT 1`;
    for (let i = 0; i < 3; i++) await raw();
    await pool.query('ALTER TABLE tags ALTER COLUMN label TYPE varchar(200)');
    t.match(await first(db), { id: Number });
    t.match(await raw(), [{ id: 1, label: 'tag 1' }]);
    await warm(db, first);
    await pool.query('ALTER TABLE tags ALTER COLUMN label TYPE text');
    t.match(await raw(), [{ id: 1 }]);
  });

  t.test('an SQL error keeps its connection', async (t) => {
    let removed = 0;
    const count = () => void removed++;
    pool.on('remove', count);
    await warm(db, (db) => db.tag.create({ data: { label: 'tag 1' } }).catch(() => {}));
    for (let i = 0; i < 5; i++)
      await t.rejects(async () => db.tag.create({ data: { label: 'tag 1' } }), { code: 'P2002' });
    for (let i = 0; i < 3; i++) await t.rejects(async () => db.$queryRaw`SELECT nothing`, { code: 'P2010' });
    pool.off('remove', count);
    t.equal(removed, 0);
  });

  t.test('Prisma runs a shape whose answers it reads differently', async (t) => {
    const changed = clientOn(pool);
    const { prototype } = PrismaPg as unknown as { prototype: { connect: () => Promise<Db> } };
    const { connect } = prototype;
    prototype.connect = async function () {
      const adapter = await connect.call(this);
      const queryRaw = adapter.queryRaw.bind(adapter);
      adapter.queryRaw = async (query: unknown) => {
        const { rows, ...result } = await queryRaw(query);
        const louder = (value: unknown) => (typeof value === 'string' ? `${value}!` : value);
        return { ...result, rows: rows.map((row: unknown[]) => row.map(louder)) };
      };
      return adapter;
    };
    t.teardown(() => {
      prototype.connect = connect;
    });
    const email = (db: Db) => db.user.findFirst({ where: { id: 7 }, select: { id: true, email: true } });
    await warm(changed, email);
    t.match((await email(changed)).email, /!$/);
    t.ok(statisticsOf(changed).fallbacks.has('User.findFirst: answers differ'));
  });

  t.test('the engine of Prisma starts with the first call that needs it', async (t) => {
    let made = 0;
    const counting: typeof make = (adapter) => {
      made++;
      return make(adapter);
    };
    const lazy: Db = preparedClient(counting, pool, dataModel);
    t.strictSame(await lazy.$queryRaw`SELECT 1 AS one`, [{ one: 1 }]);
    await lazy.$transaction((tx: Db) => tx.$executeRaw`SELECT 1`);
    t.equal(made, 1, 'the client of the recordings is not made');
    await lazy.$disconnect();
  });

  t.test('a lost connection throws, and leaves the pool', { skip: kind === 'embedded' }, async (t) => {
    await warm(db, (db) => db.user.findFirst({ where: { id: 1 } }));
    const work = db.$transaction(async (tx: Db) => {
      const [{ pid }] = await tx.$queryRaw`SELECT pg_backend_pid() AS pid`;
      await pool.query('SELECT pg_terminate_backend($1)', [pid]);
      await delay(50);
      await tx.user.findFirst({ where: { id: 1 } });
    });
    await t.rejects(work);
    t.equal((await db.user.findFirst({ where: { id: 1 } })).id, 1);
    const slow = poolOf({ max: 1, query_timeout: 50 });
    const patient = clientOn(slow);
    let removed = 0;
    slow.on('remove', () => void removed++);
    await t.rejects(async () => patient.$queryRaw`SELECT pg_sleep(1)::text`, /Query read timeout/);
    await delay(20);
    t.equal(removed, 1);
    t.strictSame(await patient.$queryRaw`SELECT 1 AS one`, [{ one: 1 }]);
  });
}

onEachDatabase(t, async (t, database) => {
  t.test('transactions', (t) => transactions(t, database, {}));
  if (database.kind === 'postgresql')
    t.test('pipelined transactions', (t) => transactions(t, database, { pipeline: true }));
  t.test('calls', (t) => calls(t, database));
});
