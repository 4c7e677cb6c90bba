/**
 * Measures the processor time of each call: a named statement with `pg`, the prepared client, and Prisma. 8 callers,
 * interleaved rounds, medians. Needs PostgreSQL at TEST_DATABASE_URL: `node --import tsx bench/prepared.ts`.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { recordingsOf, statisticsOf } from '../src/prepared-prisma/calls.js';
import type { Model } from '../src/prepared-prisma/data-model.js';
import { preparedClient } from '../src/prepared-prisma/prepared-client.js';
import { dryRuns } from '../src/prepared-prisma/recorder.js';
import { type Db, dataModel, make, tables } from '../test/prepared-prisma/fixture.js';
import { POSTGRESQL } from '../test/support/servers.js';

const CALLS = Number(process.env['CALLS'] ?? 1500);
const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const CALLERS = 8;
/** Selects calls by name. */
const ONLY = new RegExp(process.argv[2] ?? '');
const DATABASE = 'accord_bench_prepared';

const administrator = new pg.Client({ connectionString: POSTGRESQL.href });
await administrator.connect();
await administrator.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
await administrator.query(`CREATE DATABASE ${DATABASE}`);
const url = Object.assign(new URL(POSTGRESQL), { pathname: `/${DATABASE}` });
url.searchParams.set('options', '-c TimeZone=UTC');
const config = { connectionString: url.href, max: 4 };
const pipelined = { ...config, pipeline: true } as pg.PoolConfig;

/** Few connections with pipelining, as in the platform. */
const clients = [0, 1].map(() => new pg.Client(pipelined as pg.ClientConfig));
let turn = 0;
const reads = {
  query: (statement: pg.QueryArrayConfig, done: (error: Error, result: pg.QueryArrayResult) => void) =>
    (clients[turn++ % 2] as pg.Client).query(statement, done as never),
};

const pool = new pg.Pool(config);
pool.on('error', () => {});
await pool.query(tables);
await pool.query(`INSERT INTO posts(author_id, title, content, published, rating, created_at)
  SELECT 1 + g%60, 'post '||g, 'text '||g, g%2=0, g/7.0, timestamptz '2026-02-01' + g * interval '1 minute' FROM generate_series(201,10000) g`);
await pool.query('ANALYZE');
for (const client of clients) await client.connect();
const pipelinedPool = new pg.Pool(pipelined);
const options = { recordings: Number.POSITIVE_INFINITY };
const prisma = make(new PrismaPg(config));
const prepared: Db = preparedClient(make, pool, dataModel, options);
const shared: Db = preparedClient(make, pipelinedPool, dataModel, { ...options, reads });

let last = 0;
const id = () => {
  last = (last + 1) % 60;
  return last + 1;
};
const USER =
  'id, name, email, email_key AS "emailKey", role::text, roles::text[], created_at AS "createdAt", version, boss_id AS "bossId"';
const POST = 'id, author_id AS "authorId", title, content, published, rating, created_at AS "createdAt"';
const NESTED = `SELECT u.name, COALESCE((SELECT json_agg(json_build_object('title', p.title, 'createdAt', p.created_at, 'comments',
  COALESCE((SELECT json_agg(json_build_object('text', c.text, 'author', json_build_object('name', a.name)) ORDER BY c.id)
    FROM (SELECT id, text, author_id FROM comments WHERE post_id = p.id ORDER BY id LIMIT 5) c JOIN users a ON a.id = c.author_id), '[]')) ORDER BY p.id)
  FROM (SELECT id, title, created_at FROM posts WHERE author_id = u.id ORDER BY id LIMIT 5) p), '[]') AS posts FROM users u WHERE id = $1`;
const INSERT = `INSERT INTO posts(author_id, title, content, published, created_at) VALUES ($1,$2,$3,$4,$5) RETURNING ${POST}`;
const UPDATE = `UPDATE posts SET title = $2, content = $3 WHERE id = $1 RETURNING ${POST}`;
const LOCK = 'SELECT id FROM posts WHERE id = $1 FOR UPDATE';

type Queryable = pg.Pool | pg.PoolClient;
const named = (on: Queryable, name: string, text: string, values: unknown[]) => on.query({ name, text, values });
const getByHand = (on: Queryable, at: number) => named(on, 'get', `SELECT ${USER} FROM users WHERE id = $1`, [at]);
const createByHand = (on: Queryable) => named(on, 'insert', INSERT, [59, 'bench', 'some text', false, new Date()]);
const updateByHand = (on: Queryable, at: number) => named(on, 'update', UPDATE, [at, 'bench', 'changed']);
const transaction = (of: pg.Pool) => async (work: (client: pg.PoolClient) => Promise<unknown>) => {
  const client = await of.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    client.release();
  }
};
const byHand = (of: pg.Pool): Record<string, () => Promise<unknown>> => ({
  get: () => getByHand(of, id()),
  'list 20': () =>
    named(of, 'list', `SELECT ${POST} FROM posts WHERE author_id >= $1 ORDER BY id LIMIT $2`, [id(), 20]),
  nested: () => named(of, 'nested', NESTED, [id()]),
  'nested, the same SQL': () => named(of, 'nested same', sql.text, [...sql.values.slice(0, -2), id(), '1']),
  create: () => createByHand(of),
  update: () => updateByHand(of, id()),
  'create in a transaction': () => transaction(of)(createByHand),
  'get and update in a transaction': () =>
    transaction(of)(async (client) => {
      const at = id();
      await getByHand(client, at);
      return updateByHand(client, at);
    }),
  'lock by SQL and update in a transaction': () =>
    transaction(of)(async (client) => {
      const at = id();
      await named(client, 'lock', LOCK, [at]);
      return updateByHand(client, at);
    }),
});
const update = (db: Db, at: number) =>
  db.post.update({ where: { id: at }, data: { title: 'bench', content: 'changed' } });
const create = (db: Db) => db.post.create({ data: { authorId: 59, title: 'bench', content: 'some text' } });
const page = { orderBy: { id: 'asc' }, take: 5 };
const comments = { ...page, select: { text: true, author: { select: { name: true } } } };
const nested = { name: true, posts: { ...page, select: { title: true, createdAt: true, comments } } };
const calls: Record<string, (db: Db) => Promise<unknown>> = {
  get: (db) => db.user.findFirst({ where: { id: id() } }),
  'list 20': (db) => db.post.findMany({ where: { authorId: { gte: id() } }, orderBy: { id: 'asc' }, take: 20 }),
  nested: (db) => db.user.findFirst({ where: { id: id() }, select: nested }),
  'nested, the same SQL': (db) => db.user.findFirst({ where: { id: id() }, select: nested }),
  create,
  update: (db) => update(db, id()),
  'create in a transaction': (db) => db.$transaction(create),
  'get and update in a transaction': (db) =>
    db.$transaction(async (tx: Db) => {
      const at = id();
      await tx.user.findFirst({ where: { id: at } });
      return update(tx, at);
    }),
  'lock by SQL and update in a transaction': (db) =>
    db.$transaction(async (tx: Db) => {
      const at = id();
      await tx.$queryRaw`SELECT id FROM posts WHERE id = ${at} FOR UPDATE`;
      return update(tx, at);
    }),
};

/** The parameters of Prisma for `nested`: the values of the pages, an id, and LIMIT 1. */
const call = { model: dataModel.models['User'] as Model, operation: 'findFirst', args: undefined };
const dry = await dryRuns(make as never, (query) => query).run(call, { where: { id: 1 }, select: nested });
const [sql] = dry.sent as [(typeof dry.sent)[number]];

type Variant = [variant: string, call: () => Promise<unknown>];
const variantsOf = (name: string): Variant[] => [
  ['pg', byHand(pool)[name] as Variant[1]],
  ['prepared', async () => calls[name]?.(prepared)],
  ['pg, pipelined', byHand(pipelinedPool)[name] as Variant[1]],
  ['prepared, pipelined', async () => calls[name]?.(shared)],
  ['Prisma', async () => calls[name]?.(prisma)],
];
const names = Object.keys(calls).filter((name) => ONLY.test(name));
const VARIANTS = variantsOf('get').map(([variant]) => variant);

async function run(call: () => Promise<unknown>, times: number): Promise<void> {
  let left = times;
  const caller = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

for (const name of names) for (const [, call] of variantsOf(name)) await run(call, 20);
for (const client of [prepared, shared]) await recordingsOf(client);
const costs = new Map<string, number[]>();
for (let round = -1; round < ROUNDS; round++) {
  for (const name of names)
    for (const [variant, call] of variantsOf(name)) {
      const times = variant === 'Prisma' ? CALLS / 3 : CALLS;
      const before = process.cpuUsage();
      await run(call, times);
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round >= 0)
        costs.set(`${name}|${variant}`, [...(costs.get(`${name}|${variant}`) ?? []), (user + system) / times]);
    }
  await pool.query("DELETE FROM posts WHERE author_id = 59 AND title = 'bench' AND content = 'some text'");
}
const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] as number;
const ratios: number[] = [];
console.log(['CPU µs', ...VARIANTS, 'ratio', 'ratio, pipelined'].join(' | '));
for (const name of names) {
  const [byPg, ours, byPgPipelined, oursPipelined, theirs] = VARIANTS.map((variant) =>
    median(costs.get(`${name}|${variant}`) ?? []),
  ) as [number, number, number, number, number];
  const both = [ours / byPg, oursPipelined / byPgPipelined];
  ratios.push(...both);
  const all = [byPg, ours, byPgPipelined, oursPipelined, theirs].map((cost) => cost.toFixed(0));
  console.log([name, ...all, ...both.map((ratio) => ratio.toFixed(2))].join(' | '));
}
console.log(`median ratio ${median(ratios).toFixed(2)}, worst ${Math.max(...ratios).toFixed(2)}`);
console.log(statisticsOf(prepared), statisticsOf(shared));
await Promise.all([prisma.$disconnect(), pool.end(), pipelinedPool.end(), ...clients.map((client) => client.end())]);
await administrator.query(`DROP DATABASE ${DATABASE}`);
process.exit();
