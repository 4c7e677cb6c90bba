import { inspect } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import t, { type Test } from 'tap';
import { statisticsOf } from '../../src/prepared-prisma/calls.js';
import { preparedClient } from '../../src/prepared-prisma/prepared-client.js';
import { type Db, dataModel, make, onEachDatabase, Prisma } from './fixture.js';

const UUID = '00000000-0000-4000-8000-00000000000a';

/** Each type that Prisma reads, and texts of some that it refuses. */
const COLUMNS: [type: string, texts: string[]][] = [
  ['bool', ['t', 'f']],
  ['bytea', ['\\x00ff', '\\x']],
  ['int2', ['-7']],
  ['int4', ['2147483647']],
  ['int8', ['9223372036854775807']],
  ['oid', ['7']],
  ['float4', ['1.5', 'NaN']],
  ['float8', ['0.1', '-Infinity', '1e300']],
  ['numeric', ['1234.5600', '-0.0001', '1e30']],
  ['money', ['12.50']],
  ['text', ['a,b', '', '{"x"}', 'é😀', 'NULL']],
  ['varchar', ['x']],
  ['char(3)', ['a']],
  ['name', ['x']],
  ['uuid', [UUID]],
  ['json', ['{"b":1,"a":[null]}', '"x"', 'null']],
  ['jsonb', ['{"b":1,"a":[null]}', '7']],
  ['date', ['2026-05-06', '0044-03-15']],
  ['time', ['10:11:12.345', '10:11:12']],
  ['timetz', ['10:11:12+02']],
  ['timestamp', ['2026-05-06 07:08:09.123456', '2026-05-06']],
  ['timestamptz', ['2026-05-06 07:08:09.123+02', '1900-01-01 00:00:00-05:30']],
  ['inet', ['10.0.0.1']],
  ['cidr', ['10.0.0.0/8']],
  ['bit(3)', ['101']],
  ['varbit', ['10']],
  ['xml', ['<a/>']],
  ['role_kind', ['editor-in-chief']],
  ['"char"', ['x']],
  ['interval', ['1 day']],
  ['point', ['(1,2)']],
];

const described = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    (value) => ({ value }),
    ({ name, code, message, meta }: Error & { code?: string; meta?: { driverAdapterError?: unknown } }) => ({
      error: { name, code, message, cause: JSON.parse(JSON.stringify(meta?.driverAdapterError ?? null)) },
    }),
  );

onEachDatabase(t, async (t, database) => {
  const pool = database.pool({ pipeline: true });
  const prisma: Db = make(new PrismaPg(pool));
  const prepared: Db = preparedClient(make, pool, dataModel);
  /** Compared as text, because `tap` prints no invalid date. */
  const compare = async (t: Test, name: string, call: (db: Db) => PromiseLike<unknown>) => {
    const text = async (db: Db) => inspect(await described(call(db)), { depth: 9 });
    const theirs = await text(prisma);
    for (let i = 0; i < 3; i++) t.equal(await text(prepared), theirs, name);
  };

  t.test('raw queries read columns of all types, arrays and NULL as Prisma does', async (t) => {
    for (const [type, texts] of COLUMNS) {
      const list = texts.map((text) => `'${text}'::${type}`);
      const rows = Prisma.raw(
        list.map((literal) => `SELECT ${literal} AS one, NULL::${type} AS none`).join(' UNION ALL '),
      );
      await compare(t, type, (db) => db.$queryRaw`${rows}`);
      const lists = Prisma.raw(`SELECT ARRAY[${list}, NULL] AS some, '{}'::${type}[] AS empty`);
      await compare(t, `${type}[]`, (db) => db.$queryRaw`${lists}`);
    }
  });

  t.test('raw queries send values of all kinds as Prisma does', async (t) => {
    const at = new Date('2026-05-06T07:08:09.120Z');
    const values: [value: unknown, type: string][] = [
      ...([7, 1.5, 2 ** 40, -0].map((value) => [value, 'numeric']) as [unknown, string][]),
      [9n, 'int8'],
      ['text', 'text'],
      [true, 'bool'],
      [null, 'int4'],
      [at, 'timestamptz'],
      [at, 'timestamp'],
      [at, 'text'],
      [at, 'date'],
      [new Prisma.Decimal('1.50'), 'numeric'],
      [Buffer.from('hello'), 'bytea'],
      [new Uint8Array([0, 255]), 'bytea'],
      [{ a: [1, null] }, 'jsonb'],
      [[1, 2], 'int4[]'],
      [['a', 'b,"c"', null], 'text[]'],
      [[at], 'timestamptz[]'],
      [[9n], 'int8[]'],
      [[], 'text[]'],
      [UUID, 'uuid'],
      [{ a: 1 }, 'text'],
      [new Date(Number.NaN), 'timestamptz'],
    ];
    for (const [value, type] of values)
      await compare(
        t,
        `${String(value)} as ${type}`,
        (db) => db.$queryRaw`SELECT ${value}::${Prisma.raw(type)} AS one`,
      );
  });

  t.test('raw writes, errors and transactions behave as in Prisma', async (t) => {
    await compare(t, 'update', (db) => db.$executeRaw`UPDATE users SET version = version + 1 WHERE id < ${9}`);
    await compare(t, 'update by Prisma.sql', (db) =>
      db.$executeRaw(Prisma.sql`UPDATE users SET version = 1 WHERE id < ${9}`),
    );
    await compare(
      t,
      'rows of an update',
      (db) => db.$queryRaw`UPDATE users SET version = 2 WHERE id = ${3} RETURNING id, version`,
    );
    await compare(t, 'no rows', (db) => db.$queryRaw`SELECT id FROM users WHERE id = ${-1}`);
    await compare(t, 'wrong SQL', (db) => db.$queryRaw`SELECT FROM nowhere`);
    await compare(t, 'a violation', (db) => db.$executeRaw`INSERT INTO tags (label) VALUES (${'tag 1'})`);
    await compare(t, 'a type', (db) => db.$queryRaw`SELECT ${'x'}::int AS one`);
    await compare(t, 'columns of the same name', (db) => db.$queryRaw`SELECT 1 AS one, 2 AS one`);
    await compare(t, 'unsafe', (db) => db.$queryRawUnsafe('SELECT $1::int AS one', 7));
    await t.rejects(async () => prepared.$queryRaw('SELECT 1'), /tag function/);
    const lock = (db: Db) =>
      db.$transaction(async (tx: Db) => [
        await tx.$queryRaw`SELECT id FROM users WHERE id = ${7} FOR UPDATE`,
        await tx.$executeRaw`UPDATE users SET version = ${5} WHERE id = ${7}`,
        await tx.user.findUnique({ where: { id: 7 }, select: { version: true } }),
      ]);
    await compare(t, 'a transaction', lock);
    t.strictSame([...statisticsOf(prepared).fallbacks.keys()], []);
  });
});
