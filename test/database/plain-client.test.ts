import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { plainClient } from '../../src/platform/database/plain-client.js';
import { type Db, dataModel, make, onEachDatabase } from '../prepared-prisma/fixture.js';

onEachDatabase(t, async (t, { pool: poolOf, kind }) => {
  const pool = poolOf({ pipeline: true });
  await pool.query('TRUNCATE tags CASCADE');
  const db: Db = plainClient(make, pool, dataModel);
  t.teardown(() => db.$disconnect());
  const labels = async () =>
    (await db.tag.findMany({ orderBy: { id: 'asc' } })).map(({ label }: { label: string }) => label);

  t.test('a transaction runs calls in their order, also if nobody awaits them', async (t) => {
    await db.$transaction(async (tx: Db) => {
      const ofSeveralStatements = { title: 'a', author: { create: { name: 'n', email: 'e', emailKey: 'e' } } };
      const post = tx.post.create({ data: ofSeveralStatements }).catch(() => {});
      await nextTurn();
      const counted = tx.$queryRaw`SELECT count(*)::int AS count FROM posts WHERE title = 'a'`;
      const tag = tx.tag.create({ data: { label: 'one' } });
      const changed = tx.$executeRaw`UPDATE tags SET label = label || '!'`;
      await Promise.all([post, counted, tag, changed, tx.tag.create({ data: { label: 'two' } })]);
      t.strictSame(await counted, [{ count: 1 }]);
    });
    t.same(await labels(), ['one!', 'two']);
  });

  t.test('a transaction commits after its last call, also if nobody awaits it', async (t) => {
    await db.$transaction(async (tx: Db) => {
      tx.$queryRaw`SELECT pg_sleep(0.05)`.catch(() => {});
      tx.tag.create({ data: { label: 'three' } }).catch(() => {});
    });
    t.same(await labels(), ['one!', 'two', 'three']);
  });

  t.test('a transaction with a failed statement rejects, and nothing is written', async (t) => {
    const work = db.$transaction(async (tx: Db) => {
      await tx.tag.create({ data: { label: 'four' } });
      tx.$executeRaw`SELECT 1 / 0`.catch(() => {});
    });
    await t.rejects(work, /division by zero/);
    await t.rejects(
      db.$transaction(async (tx: Db) => {
        await tx.tag.create({ data: { label: 'four' } });
        throw new RangeError('no');
      }),
      RangeError,
    );
    t.same(await labels(), ['one!', 'two', 'three']);
    t.equal(pool.totalCount, pool.idleCount, 'every connection was given back');
  });

  t.test('calls that nobody awaits are not sent, and a list of calls is one transaction', async (t) => {
    const create = (label: string) => db.tag.create({ data: { label } });
    void create('unsent');
    await t.rejects(db.$transaction([create('five'), db.tag.update({ where: { id: -1 }, data: { label: 'x' } })]));
    await db.$transaction([create('six'), create('seven')]);
    t.same(await labels(), ['one!', 'two', 'three', 'six', 'seven']);
  });

  t.test('a connection with an unanswered statement is closed', { skip: kind === 'embedded' }, async (t) => {
    const impatient = poolOf({ pipeline: true, query_timeout: 50 });
    impatient.on('connect', (connection) => void connection.on('error', () => {}));
    const db: Db = plainClient(make, impatient, dataModel);
    await t.rejects(db.$transaction((tx: Db) => tx.$queryRaw`SELECT pg_sleep(0.3)::text`));
    t.equal(impatient.totalCount, 0);
    await db.$disconnect();
  });
});
