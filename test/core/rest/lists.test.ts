import t from 'tap';
import { cursors } from '../../../src/platform/core/calls/rows.js';
import { type Opened, onEachDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { codeOf, startService } from '../../support/service.js';

const USERS = '/api/v1/users';

/** Inserts accounts by the number, in one statement. */
const fill = ({ client }: Opened, name: string, count: number) =>
  client.$executeRawUnsafe(`
    INSERT INTO users (name, email, email_key, role)
    SELECT '${name} ' || i, '${name}' || i || '@example.com', '${name}' || i || '@example.com', 'VIEWER'
    FROM generate_series(1, ${count}) AS i`);

t.test('a cursor is valid for its own list, and cannot be forged', async (t) => {
  const ours = cursors(['a secret of ours']);
  const cursor = ours.encode('users', 7);
  t.equal(ours.decode('users', cursor), 7);
  const bytes = Buffer.from(cursor, 'base64url');
  bytes[bytes.length - 1] = 0x38;
  for (const [what, decode] of Object.entries({
    'another list': () => ours.decode('orders of 7', cursor),
    'another secret': () => cursors(['another secret']).decode('users', cursor),
    'another id': () => ours.decode('users', bytes.toString('base64url')),
    'a shorter one': () => ours.decode('users', cursor.slice(0, -2)),
    nonsense: () => ours.decode('users', 'bm9uc2Vuc2U'),
  })) {
    t.throws(decode, { code: 'BAD_REQUEST', options: { issues: [{ parameter: 'after' }] } }, what);
  }
});

onEachDatabase(t, async (t, open) => {
  const { rest, admin, viewer, database } = await startService(t, await open());
  const read = async (query: string): Promise<Json> => (await rest('GET', `${USERS}?${query}`, { as: viewer })).body;
  const idsOf = (rows: Json[]) => rows.map(({ id }) => id as number);

  t.test('a cursor stays correct while rows are added and deleted', async (t) => {
    await fill(database, 'cursor', 20);
    const first = await read('after=&limit=10');
    const seen = idsOf(first.data);
    const before = idsOf(await read('limit=100'));
    const [behind, ahead] = [seen[5] as number, before[15] as number];
    for (const id of [behind, ahead, seen.at(-1)]) await rest('DELETE', `${USERS}/${id}`, { as: admin });
    await fill(database, 'later', 5);
    for (let { next, hasMore } = first.cursor; hasMore; ) {
      const page = await read(`after=${next}&limit=10`);
      seen.push(...idsOf(page.data));
      ({ next, hasMore } = page.cursor);
    }
    const after = idsOf(await read('limit=100'));
    t.equal(new Set(seen).size, seen.length, 'no row twice');
    t.same(
      after.filter((id) => !seen.includes(id)),
      [],
      'no row missed, the new ones included',
    );
    t.notOk(seen.includes(ahead), 'nor one that is gone');
  });

  t.test('pages beyond the end are empty, and Link works from any page', async (t) => {
    const total = (await database.client.user.count()) as number;
    for (const query of [`offset=${total + 50}&limit=10`, `page=99&per_page=10`]) {
      const answer = await rest('GET', `${USERS}?${query}`, { as: viewer });
      t.same([answer.status, answer.body, answer.headers.get('x-total-count')], [200, [], String(total)]);
      const prev = /<([^>]+)>; rel="prev"/.exec(answer.headers.get('link') ?? '')?.[1] as string;
      t.ok((await rest('GET', prev, { as: viewer })).body.length > 0, 'prev leads back to rows');
      t.notMatch(answer.headers.get('link'), 'rel="next"');
    }
    const most = Number.MAX_SAFE_INTEGER;
    for (const query of [`offset=${most}`, `page=${most}&per_page=100`])
      t.same((await rest('GET', `${USERS}?${query}`, { as: viewer })).body, [], query);
    const back: number[] = [];
    for (let at: string | undefined = `${USERS}?limit=7&offset=${Math.floor((total - 1) / 7) * 7}`; at; ) {
      const page = await rest('GET', at, { as: viewer });
      back.unshift(...idsOf(page.body));
      at = /<([^>]+)>; rel="prev"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    t.same(back, idsOf(await read('limit=100')), 'prev visits each row once');
  });

  t.test('Link names the neighbours and the last page, also of a list that ends with a page', async (t) => {
    const orders = `${USERS}/${viewer.id}/orders`;
    const body = { total: { amount: 1, currency: 'EUR' } };
    const links = async (query: string) => {
      const link = (await rest('GET', `${orders}?${query}`, { as: viewer })).headers.get('link') ?? '';
      return [...link.matchAll(/<[^?]+\?([^>]+)>; rel="(\w+)"/g)].map(([, at, rel]) => `${rel} ${at}`);
    };
    const first = ['first limit=2&offset=0', 'last limit=2&offset=0'];
    t.same(await links('limit=2'), first, 'of no orders');
    for (let n = 0; n < 4; n++) await rest('POST', orders, { as: viewer, body });
    t.same(await links('limit=4'), ['first limit=4&offset=0', 'last limit=4&offset=0']);
    t.same(await links('limit=2&offset=0'), [
      'first limit=2&offset=0',
      'next limit=2&offset=2',
      'last limit=2&offset=2',
    ]);
    t.same(await links('limit=2&offset=2'), [
      'first limit=2&offset=0',
      'prev limit=2&offset=0',
      'last limit=2&offset=2',
    ]);
    t.same(await links('page=2&per_page=1'), [
      'first page=1&per_page=1',
      'prev page=1&per_page=1',
      'next page=3&per_page=1',
      'last page=4&per_page=1',
    ]);
    t.same(await links('page=1&per_page=3'), [
      'first page=1&per_page=3',
      'next page=2&per_page=3',
      'last page=2&per_page=3',
    ]);
    t.same(await links('page=9&per_page=3'), [
      'first page=1&per_page=3',
      'prev page=2&per_page=3',
      'last page=2&per_page=3',
    ]);
  });

  t.test('of a hundred writers with one entity tag one succeeds; PUT is idempotent', async (t) => {
    const path = `${USERS}/${viewer.id}`;
    const { body, headers } = await rest('GET', path, { as: admin });
    const etag = headers.get('etag') as string;
    const put = (name: string, given = {}) =>
      rest('PUT', path, { as: admin, headers: given, body: { name, email: body.email, role: body.role } });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => put(`Writer ${i}`, { 'if-match': etag })));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    t.equal(answers.filter(({ status }) => status === 412).length, 99);
    for (const given of [`W/${etag}`, '"other"', '', '"a", "b"']) {
      t.same(codeOf(await put('No', { 'if-match': given })), [412, 'PRECONDITION_FAILED'], given);
    }
    const winner = answers.find(({ status }) => status === 200);
    const current = winner?.headers.get('etag') as string;
    t.equal((await put('In a list', { 'if-match': `"other", ${current}` })).status, 200);
    const [one, two] = [await put('Twice'), await put('Twice')];
    t.same([one.status, one.body], [two.status, two.body]);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('the cost of a cursor does not depend on its position', async (t) => {
    const database = await open();
    if (database.kind !== 'embedded') return void t.comment('counted where one session does all the reading');
    const { rest, viewer } = await startService(t, database);
    await fill(database, 'many', 20_000);
    await database.client.$executeRawUnsafe('ANALYZE users');
    const rowsRead = async (): Promise<number> => {
      await database.client.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
      const [row] = await database.client.$queryRaw<[{ read: bigint }]>`
        SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables WHERE relname = 'users'`;
      return Number(row.read);
    };
    const costOf = async (query: string) => {
      const before = await rowsRead();
      const answer = await rest('GET', `${USERS}?${query}`, { as: viewer });
      t.equal(answer.status, 200);
      return (await rowsRead()) - before;
    };
    // No test can ask for page 10,000 by its cursor without the 9,999 before: any cursor of this list will do.
    const far = (await rest('GET', `${USERS}?after=&limit=1`, { as: viewer })).body.cursor.next;
    const deep = cursors(['development']).encode(USERS, 19_000);
    t.not(far, deep);
    const [head, tail] = [await costOf('after=&limit=20'), await costOf(`after=${deep}&limit=20`)];
    t.ok(head > 0 && head <= 40, `head: ${head} rows read`);
    t.ok(tail > 0 && tail <= 40, `far down: ${tail} rows read`);
  });
});
