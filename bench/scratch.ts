import pg from 'pg';
import { preparedClient } from '../src/platform/prepared-prisma/prepared-client.js';
import { recordingsOf } from '../src/platform/prepared-prisma/statistics.js';
import { dataModel, make } from '../test/prepared-prisma/fixture.js';
import { Session } from 'node:inspector/promises';
const config = { connectionString: 'postgres://postgres@127.0.0.1/accord_scratch_prepared?options=-c%20TimeZone%3DUTC', max: 4, pipeline: true } as any;
const pool = new pg.Pool(config);
const db: any = preparedClient(make, pool, dataModel, { recordings: Infinity });
const page = { orderBy: { id: 'asc' }, take: 5 };
const comments = { ...page, select: { text: true, author: { select: { name: true } } } };
const nested = { name: true, posts: { ...page, select: { title: true, createdAt: true, comments } } };
const way = process.argv[2]!;
let n = 0; const id = () => 1 + (n++ % 60);
const POST = 'id, author_id AS "authorId", title, content, published, rating, created_at AS "createdAt"';
const INSERT = `INSERT INTO posts(author_id, title, content, published, created_at) VALUES ($1,$2,$3,$4,$5) RETURNING ${POST}`;
const calls: any = {
  nested: () => db.user.findFirst({ where: { id: id() }, select: nested }),
  tx: () => db.$transaction((tx: any) => tx.post.create({ data: { authorId: 59, title: 'bench', content: 'some text' } })),
  tx0: () => db.$transaction((tx: any) => tx.user.findFirst({ where: { id: id() } })),
  hand: async () => { const c = await pool.connect(); try { await c.query('BEGIN'); await c.query({ name: 'i', text: INSERT, values: [59, 'bench', 'some text', false, new Date()] }); await c.query('COMMIT'); } finally { c.release(); } },
};
const NESTED = `SELECT u.name, COALESCE((SELECT json_agg(json_build_object('title', p.title, 'createdAt', p.created_at, 'comments',
  COALESCE((SELECT json_agg(json_build_object('text', c.text, 'author', json_build_object('name', a.name)) ORDER BY c.id)
    FROM (SELECT id, text, author_id FROM comments WHERE post_id = p.id ORDER BY id LIMIT 5) c JOIN users a ON a.id = c.author_id), '[]')) ORDER BY p.id)
  FROM (SELECT id, title, created_at FROM posts WHERE author_id = u.id ORDER BY id LIMIT 5) p), '[]') AS posts FROM users u WHERE id = $1`;
calls.handn = () => pool.query({ name: 'n', text: NESTED, values: [id()] });
calls.get = () => db.user.findFirst({ where: { id: id() } });
calls.handget = () => pool.query({ name: 'g', text: 'SELECT * FROM users WHERE id = $1', values: [id()] });
if (way === 'compare') {
  const cs: any = { handn: [], nested: [], hand: [], tx: [], handget: [], get: [] };
  for (const w of Object.keys(cs)) for (let i = 0; i < 3; i++) { await calls[w](); await recordingsOf(db); }
  const run = async (call: any, times: number) => { let left = times; await Promise.all(Array.from({ length: 8 }, async () => { while (left-- > 0) await call(); })); };
  for (const w of Object.keys(cs)) await run(calls[w], 1000);
  for (let r = 0; r < 25; r++) for (const w of Object.keys(cs)) { const b = process.cpuUsage(); await run(calls[w], 160); const u = process.cpuUsage(b); cs[w].push((u.user + u.system) / 160); }
  for (const w of Object.keys(cs)) { const l = cs[w].sort((a: number, b: number) => a - b); console.log(w.padEnd(10), 'median', l[12].toFixed(0), 'low', l[3].toFixed(0)); }
  console.log(JSON.stringify(await calls.nested()).length, JSON.stringify((await calls.handn()).rows[0]).length);
  await pool.query("DELETE FROM posts WHERE author_id = 59 AND title = 'bench'");
  process.exit();
}
const call = calls[way];
const run = async (times: number) => { let left = times; await Promise.all(Array.from({ length: 8 }, async () => { while (left-- > 0) await call(); })); };
for (let i = 0; i < 3; i++) { await call(); await recordingsOf(db); }
await run(1000);
const s = new Session(); s.connect(); await s.post('Profiler.enable'); if (process.argv[3]) (await s.post('Profiler.setSamplingInterval', { interval: 200 }), await s.post('Profiler.start'));
for (let r = 0; r < 3; r++) { const b = process.cpuUsage(); const t = performance.now(); await run(4000); const u = process.cpuUsage(b); console.log(way, ((u.user + u.system) / 4000).toFixed(0), 'wall', ((performance.now() - t) / 1.5).toFixed(0)); }
if (process.argv[3]) {
const { profile } = await s.post('Profiler.stop');
const self = new Map<string, number>(); const idle = new Set(profile.nodes.filter((x) => x.callFrame.functionName === '(idle)').map((x) => x.id)); const total = profile.samples!.filter((x) => !idle.has(x)).length;
const byId = new Map(profile.nodes.map((x) => [x.id, x]));
for (const x of profile.samples!) { const f = byId.get(x)!.callFrame; const k = `${f.functionName} ${f.url.split('/').slice(-2).join('/')}:${f.lineNumber}`; self.set(k, (self.get(k) ?? 0) + 1); }
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 45)) console.log((100 * v / total).toFixed(1), k);
}
await pool.query("DELETE FROM posts WHERE author_id = 59 AND title = 'bench'");
process.exit();
