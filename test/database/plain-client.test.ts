import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { plainClient } from '../../src/platform/database/plain-client.js';
import { rootPath } from '../../src/platform/root.js';
import { type Db, dataModel, make, onEachDatabase } from '../prepared-prisma/fixture.js';
import { run } from '../support/process.js';

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

/** Opens a database in a process whose import of the package rejects with `message`, and prints what was imported and the rows. */
async function openWithout(t: Test, message: string, client?: 'prisma') {
  // Written at once: the thread of hooks loses its console when the process ends.
  const hooks = `import { writeSync } from 'node:fs';
  export async function resolve(name, context, next) {
    if (name !== '@accord-api/prepared-prisma') return next(name, context);
    writeSync(1, 'imported\\n');
    throw new Error(${JSON.stringify(message)});
  }`;
  const script = `
    import { register } from 'node:module';
    register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hooks))});
    const { openDatabase } = await import(${JSON.stringify(rootPath('src', 'platform', 'database', 'open.ts'))});
    const { client, close } = await openDatabase('pglite://memory', { client: () => ${JSON.stringify(client)} });
    console.log(await client.user.count());
    await close();`;
  return run(t, [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]).ended;
}

t.test('the package is not loaded for `prisma`, and a project may leave it out', async (t) => {
  const absent = "Cannot find package '@accord-api/prepared-prisma' imported from open.ts";
  t.match(await openWithout(t, absent, 'prisma'), { code: 0, stdout: /^0\n$/ });
  t.match(await openWithout(t, absent), { code: 0, stdout: /^imported\n0\n$/ });
  const incomplete = "Cannot find package 'pg' imported from @accord-api/prepared-prisma/connection.js";
  t.match(await openWithout(t, incomplete), { code: 1, stdout: /^imported\n$/, stderr: /Cannot find package 'pg'/ });
});
