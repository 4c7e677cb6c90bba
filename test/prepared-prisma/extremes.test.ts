import { Decimal } from '@prisma/client/runtime/client';
import t, { type Test } from 'tap';
import { exactly } from '../../src/platform/database/exact.js';
import { plainClient } from '../../src/platform/database/plain-client.js';
import { recordingsOf, statisticsOf } from '../../src/prepared-prisma/calls.js';
import { preparedClient } from '../../src/prepared-prisma/prepared-client.js';
import { type Db, dataModel, make, onEachDatabase } from './fixture.js';

const adapt = exactly(dataModel);
const LEAST = new Date(-8.64e15);
const GREATEST = new Date(8.64e15);
const DIGITS = '-123456789012345678901234567890.123456789012345678901234567890';
const decimal = (text: string) => new Decimal(text);
const date = (text: string) => new Date(text);
const bytes = new Uint8Array([0, 255]);

/** The column, its field, a value as PostgreSQL writes it, and as the client reads it. */
const CASES: [column: string, field: string, text: string | null, value: unknown][] = [
  ['num_ber', 'num', '-2147483648', -2147483648],
  ['ints', 'ints', '{2147483647,-2147483648}', [2147483647, -2147483648]],
  ['big', 'big', '9223372036854775807', 2n ** 63n - 1n],
  ['big', 'big', '-9223372036854775808', -(2n ** 63n)],
  ['big', 'big', null, null],
  ['bigs', 'bigs', '{9223372036854775807,-9223372036854775808}', [2n ** 63n - 1n, -(2n ** 63n)]],
  ['bigs', 'bigs', null, []],
  ['price', 'price', DIGITS, decimal(DIGITS)],
  ['price', 'price', '0.1000000000000000000000000000001', decimal('0.1000000000000000000000000000001')],
  ['price', 'price', 'NaN', decimal('NaN')],
  ['price', 'price', 'Infinity', decimal('Infinity')],
  ['price', 'price', null, null],
  ['prices', 'prices', `{${DIGITS},1.50,NaN}`, [decimal(DIGITS), decimal('1.5'), decimal('NaN')]],
  ['prices', 'prices', '{}', []],
  ['float', 'float', '5e-324', 5e-324],
  ['float', 'float', '1.7976931348623157e308', Number.MAX_VALUE],
  ['float', 'float', '-0', -0],
  ['float', 'float', 'NaN', Number.NaN],
  ['float', 'float', '-Infinity', Number.NEGATIVE_INFINITY],
  ['flags', 'flags', '{t,f}', [true, false]],
  ['at_time', 'at', 'infinity', GREATEST],
  ['at_time', 'at', '-infinity', LEAST],
  ['at_time', 'at', '0001-01-01 00:00:00+00', date('0001-01-01T00:00:00Z')],
  ['at_time', 'at', '9999-12-31 23:59:59.999+00', date('9999-12-31T23:59:59.999Z')],
  ['at_time', 'at', '10000-01-01 00:00:00+00', date('+010000-01-01T00:00:00Z')],
  ['at_time', 'at', '12026-05-06 07:08:09.123+00', date('+012026-05-06T07:08:09.123Z')],
  ['at_time', 'at', '275760-09-12 00:00:00+00', date('+275760-09-12T00:00:00Z')],
  ['at_time', 'at', '294276-12-31 00:00:00+00', GREATEST],
  ['at_time', 'at', '0001-12-31 23:59:59.999+00 BC', date('0000-12-31T23:59:59.999Z')],
  ['at_time', 'at', '4713-01-01 00:00:00+00 BC', date('-004712-01-01T00:00:00Z')],
  ['at_time', 'at', null, null],
  ['local', 'local', '0044-03-15 10:00:00.123456 BC', date('-000043-03-15T10:00:00.123Z')],
  ['local', 'local', '12026-01-01 00:00:00.5', date('+012026-01-01T00:00:00.500Z')],
  ['local', 'local', '-infinity', LEAST],
  ['day', 'day', 'infinity', GREATEST],
  ['day', 'day', '0044-03-15 BC', date('-000043-03-15T00:00:00Z')],
  ['day', 'day', '12026-01-01', date('+012026-01-01T00:00:00Z')],
  ['day', 'day', '5874897-12-31', GREATEST],
  ['clock', 'clock', '00:00:00', date('1970-01-01T00:00:00Z')],
  ['clock', 'clock', '23:59:59.999', date('1970-01-01T23:59:59.999Z')],
  [
    'dates',
    'dates',
    '{infinity,"0044-03-15 10:00:00+00 BC","2026-01-02 03:04:05.678+00"}',
    [GREATEST, date('-000043-03-15T10:00:00Z'), date('2026-01-02T03:04:05.678Z')],
  ],
  ['dates', 'dates', null, []],
  ['data', 'data', 'null', null],
  ['data', 'data', '{"a": [null, 1.5, "x"]}', { a: [null, 1.5, 'x'] }],
  ['docs', 'docs', '{null,"{\\"a\\": 1}"}', [null, { a: 1 }]],
  ['bytes', 'bytes', '\\x00ff', bytes],
  ['role', 'role', 'editor-in-chief', 'EDITOR'],
  ['kinds', 'kinds', '{viewer,ADMIN}', ['VIEWER', 'ADMIN']],
  ['words', 'words', '{"NULL","","a\\"b,c"}', ['NULL', '', 'a"b,c']],
];

const IDS = ['a', 'b', 'c'].map((_, i) => `00000000-0000-4000-8000-00000000000${i + 1}`);
const where = { code: 'a' };
const JOIN = { relationLoadStrategy: 'join' };

/** Reads a field of the first row, of its child, and of its grandchild. */
const READS: ((db: Db, field: string) => Promise<unknown>)[] = [
  async (db, field) => (await db.thing.findFirst({ where }))[field],
  async (db, field) => (await db.thing.findFirst({ where, select: { children: true }, ...JOIN })).children[0][field],
  async (db, field) => {
    const select = { children: { select: { id: true, children: { orderBy: { id: 'asc' }, take: 2 } } } };
    return (await db.thing.findFirst({ where, select, ...JOIN })).children[0].children[0][field];
  },
  async (db, field) => {
    const found = await db.thing.findFirst({
      where: { code: 'c' },
      select: { parent: { select: { parent: true } } },
      ...JOIN,
    });
    return found.parent.parent[field];
  },
];

onEachDatabase(t, async (t, database) => {
  const pool = database.pool();
  const db: Db = preparedClient(make, pool, dataModel, { recordings: 1000, adapt });
  t.teardown(() => db.$disconnect());
  await pool.query('ALTER TABLE things ALTER price TYPE numeric, ALTER prices TYPE numeric[]');
  await pool.query(
    `INSERT INTO things (id, code, parent_id) VALUES ($1, 'a', NULL), ($2, 'b', $1), ($3, 'c', $2)`,
    IDS,
  );
  for (const read of READS) for (let n = 0; n < 2; n++) await read(db, 'id');

  const check = async (t: Test, client: Db, how: string) => {
    for (const [column, field, text, value] of CASES) {
      await pool.query(`UPDATE things SET ${column} = $1`, [text]);
      for (const [depth, read] of READS.entries())
        t.strictSame(await read(client, field), value, `${field} ${text}, read ${depth}, ${how}`);
      await pool.query(`UPDATE things SET ${column} = DEFAULT`);
    }
  };
  const prisma: Db = plainClient(make, pool, dataModel);
  t.teardown(() => prisma.$disconnect());
  t.test('each column type keeps its extremes when Prisma reads it', (t) => check(t, prisma, 'by Prisma'));
  t.test('each column type keeps its extremes when a plan reads it', async (t) => {
    await recordingsOf(db);
    const { prepared } = statisticsOf(db);
    await check(t, db, 'by a plan');
    t.equal(statisticsOf(db).prepared - prepared, CASES.length * READS.length);
    t.same([...statisticsOf(db).fallbacks], []);
  });

  t.test('a time is written with its year, or not at all', async (t) => {
    const write = (client: Db, at: Date) => client.thing.update({ where: { id: IDS[0] }, data: { at } });
    for (const client of [prisma, db]) {
      for (const at of [date('+012026-05-06T07:08:09.123Z'), date('0001-01-01T00:00:00Z'), GREATEST])
        t.strictSame((await write(client, at)).at, at);
      const { rows } = await pool.query('SELECT at_time::text AS at FROM things WHERE id = $1', [IDS[0]]);
      t.equal(rows[0].at, '275760-09-13 00:00:00+00', 'which is not infinity');
      for (const at of [date('0000-12-31T00:00:00Z'), date('-000043-03-15T10:00:00Z'), LEAST])
        await t.rejects(write(client, at), { name: 'PrismaClientKnownRequestError' });
    }
  });

  t.test('relations by a join table, writes with a selection, and transactions keep them', async (t) => {
    await pool.query(`UPDATE things SET price = $1, at_time = 'infinity'`, [DIGITS]);
    const createdAt = date('2026-01-01T00:00:00Z');
    const author = { create: { name: 'Ada', email: 'ada', emailKey: 'ada', createdAt } };
    await prisma.post.create({
      data: { title: 'x', rating: 0.5, author, tags: { create: { label: 'only this post' } } },
    });
    await pool.query(`UPDATE posts SET created_at = '0044-03-15 10:00:00+00 BC', rating = 'NaN'`);
    const ofPost = { rating: Number.NaN, createdAt: date('-000043-03-15T10:00:00Z') };
    const ofThing = { price: decimal(DIGITS), at: GREATEST };
    const select = { price: true, at: true };
    for (const client of [prisma, db, db, db]) {
      const tags = {
        where: { label: 'only this post' },
        select: { posts: { select: { rating: true, createdAt: true } } },
        ...JOIN,
      };
      t.strictSame(await client.tag.findMany(tags), [{ posts: [ofPost] }]);
      const children = { data: { flag: true }, select: { children: { select } } };
      t.strictSame(await client.thing.update({ where: { id: IDS[0] }, ...children }), { children: [ofThing] });
      await client.$transaction(async (tx: Db) => {
        const found = await tx.thing.findMany({ where, select: { children: { select, take: -1 } }, ...JOIN });
        t.strictSame(found, [{ children: [ofThing] }]);
      });
      await recordingsOf(db);
    }
  });
});
