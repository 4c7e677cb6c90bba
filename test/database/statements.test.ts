import { Socket } from 'node:net';
import t from 'tap';
import { faultOf } from '../../src/platform/database/faults.js';
import { openDatabase } from '../../src/platform/database/open.js';
import { recordingsOf, statisticsOf } from '../../src/prepared-prisma/calls.js';
import { memoryDatabase, onEachDatabase, TEST_TIMEOUTS_MS } from '../support/databases.js';
import { waiting } from '../support/locks.js';
import { PASSWORD } from '../support/people.js';
import { eventually } from '../support/process.js';
import { startInstance, startService } from '../support/service.js';
import { isWrite, statementsOf } from '../support/statements.js';
import { tcpProxy } from '../support/tcp-proxy.js';
import { uncommitted } from '../support/uncommitted.js';

const byId = { orderBy: { id: 'asc' } } as const;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const user = { name: 'n', email: 'a', emailKey: 'a', role: 'VIEWER' };
  const { id: authorId } = await client.user.create({ data: user });
  await client.post.create({ data: { authorId, title: 't' } });
  const readUsers = async (by: typeof client = client) => by.user.findMany(byId);
  const readPosts = async (by: typeof client = client) => by.post.findMany(byId);
  /** Starts the recording of reads. Until then, Prisma sends them. */
  async function recorded(by: typeof client = client): Promise<void> {
    for (let n = 0; n < 3; n++) await Promise.all([readUsers(by), readPosts(by)]);
    await recordingsOf(by);
    await Promise.all([readUsers(by), readPosts(by)]);
  }
  await recorded();

  t.test('a write that timed out is not executed afterwards', async (t) => {
    if (!database.url) return t.comment('the embedded database does one thing at a time');
    const hurried = await openDatabase(database.url, { limits: { ...TEST_TIMEOUTS_MS, answer: 1000 } });
    const { commit, over } = await uncommitted(client, (db) => db.$executeRaw`LOCK TABLE users`);
    const fault = await hurried.client.user
      .create({ data: { ...user, email: 'too late', emailKey: 'too late' } })
      .then(() => undefined, faultOf);
    t.same(fault, { kind: 'timeout' });
    commit();
    await over;
    await eventually('nobody is at it', async () => {
      const [row] = await client.$queryRaw<{ busy: bigint }[]>`SELECT count(*) AS busy FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE 'INSERT INTO %users%'`;
      return row?.busy === 0n;
    });
    t.equal(await client.user.count({ where: { email: 'too late' } }), 0);
    await hurried.close();
  });

  t.test('a slow statement does not delay later ones', async (t) => {
    if (!database.url) return t.comment('the embedded database does one thing at a time');
    const slow: Promise<object[]>[] = [];
    const others: Promise<object[]>[] = [];
    await client.$transaction(
      async (db) => {
        await db.$executeRaw`LOCK TABLE users`;
        for (let n = 0; n < 2; n++) slow.push(readUsers());
        for (let n = 0; n < 8; n++) others.push(readPosts());
        await Promise.all(others);
        t.equal(await waiting(database), 2, 'both shared connections');
        t.equal((await readPosts()).length, 1);
      },
      { timeout: TEST_TIMEOUTS_MS.transaction },
    );
    t.same(
      (await Promise.all(slow)).map(({ length }) => length),
      [1, 1],
    );
  });

  t.test('a statement that waits for its connection runs once, on another one', async (t) => {
    if (!database.url) return t.comment('the embedded database has no connection');
    const address = new URL(database.url);
    const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) });
    Object.assign(address, { hostname: '127.0.0.1', port: String(line.port) });
    const behind = await openDatabase(address.href, { limits: TEST_TIMEOUTS_MS });
    await recorded(behind.client);
    line.set({ latency: 100 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => readPosts(behind.client)));
    t.same(
      answers.map(({ length }) => length),
      Array(8).fill(1),
    );
    t.equal((await readPosts(behind.client)).length, 1);
    line.set('sound');
    await behind.close();
  });

  t.test('all statements of one tick are one write to the connection', async (t) => {
    if (!database.url) return t.comment('the embedded database has no connection');
    const read = () => readPosts();
    await Promise.all([read(), read()]);
    const transaction = () => client.$transaction((tx) => tx.post.findMany(byId));
    await transaction();
    const socket = Socket.prototype as Required<Socket>;
    const one = t.capture(socket, '_write', socket._write);
    const several = t.capture(socket, '_writev', socket._writev);
    const written = () => [...one(), ...several()].filter(({ receiver, args }) => isWrite(receiver, args)).length;
    await Promise.all(Array.from({ length: 20 }, read));
    t.equal(written(), 2, 'one for each of the connections that are shared');
    await transaction();
    t.equal(written(), 2, 'BEGIN with the first statement, and COMMIT');
  });

  t.test('a read on a broken connection runs on another one, and the connection is replaced', async (t) => {
    if (!database.url) return t.comment('the embedded database has no connection');
    const address = new URL(database.url);
    const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) });
    Object.assign(address, { hostname: '127.0.0.1', port: String(line.port) });
    const behind = await openDatabase(address.href);
    await recorded(behind.client);
    const kindOf = (work: Promise<object[]>) =>
      work.then(
        () => 'answered',
        (error: unknown) => faultOf(error).kind,
      );
    const ask = () => kindOf(readPosts(behind.client));
    t.equal(await ask(), 'answered');
    line.set('black hole');
    const cut = Promise.all(Array.from({ length: 8 }, ask));
    line.set('sound');
    line.cut();
    t.same(await cut, Array(8).fill('answered'));
    t.equal(await ask(), 'answered');
    line.set('black hole');
    const broken = ask();
    line.set('refused');
    t.equal(await broken, 'unavailable', 'unless there is none to be had');
    t.equal(await ask(), 'unavailable');
    line.set('sound');
    await eventually('an answer', async () => (await ask()) === 'answered' || undefined);
    t.equal(behind.connections()?.shared, 1);
    await behind.close();
    t.equal(await ask(), 'unavailable', 'and none is opened once it is closed');
  });
});

/** Reads a page of each list, and a row of each type by its id. */
const NESTED = `{
  me { id } user(id: 1) { id } usersConnection(last: 3) { edges { node { id } } }
  users(limit: 20, offset: 5) { posts(limit: 3) { content comments(limit: 3) { text author { name } } } }
  post(id: 1) { title } posts(limit: 3) { title author { posts { title } } }
  messages(channelId: "c1", before: 5000, limit: 5) { text author { name } }
}`;
/** Reads the fields of authors that no joined statement reads. */
const BY_LEVELS = `{
  messages(channelId: "c1", limit: 3) {
    author { posts(limit: 3) { content comments(limit: 3) { text author { name posts(limit: 3) { title } } } } }
  }
}`;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const { rest, graphql, admin, developer, viewer, log } = await startService(t, database);

  /** Statements whose plans are checked too. */
  const counts: string[] = [];

  t.test('each read is one statement', async (t) => {
    for (const path of [`users/${viewer.id}`, 'auth/me', 'users?after=&limit=2', 'users?limit=2']) {
      const { statements } = await statementsOf(() => rest('GET', `/api/v1/${path}`, { as: viewer }));
      t.equal(statements.length, path.endsWith('users?limit=2') ? 2 : 1, path);
      counts.push(...statements.filter((text) => /count\(\*\)/i.test(text)));
    }
  });

  t.test('each write is the minimum of statements', async (t) => {
    let n = 0;
    const person = () => ({ name: 'New', email: `new${++n}@example.com`, role: 'viewer' });
    const key = (value: string) => ({ 'idempotency-key': value });
    const credentials = { email: viewer.email, password: PASSWORD };
    const eur = { total: { amount: 1, currency: 'EUR' } };
    const orders = `users/${viewer.id}/orders`;
    await graphql(developer, 'mutation { createPost(title: "stays") { id } }');
    const { id: postId } = (await graphql(developer, 'mutation { createPost(title: "t") { id } }')).data.createPost;
    const { id: userId } = (await rest('POST', '/api/v1/users', { as: admin, body: person() })).body;
    /** By name: the statements, and the times that a request waits for the network. */
    const trips: Record<string, number> = {
      'POST user': 2,
      'POST user with a key': 3,
      'POST order': 3,
      createPost: 2,
      addComment: 2,
    };
    const writes: Record<string, [number, () => Promise<{ status: number } | { codes: unknown[] }>]> = {
      'login from a new place': [8, () => rest('POST', '/api/v1/auth/login', { body: credentials })],
      login: [8, () => rest('POST', '/api/v1/auth/login', { body: credentials })],
      'login for an opaque token': [
        7,
        () => rest('POST', '/api/v1/auth/login', { body: { ...credentials, flow: 'opaque' } }),
      ],
      'POST user': [3, () => rest('POST', '/api/v1/users', { as: admin, body: person() })],
      'POST user with a key': [
        7,
        () => rest('POST', '/api/v1/users', { as: admin, body: person(), headers: key(crypto.randomUUID()) }),
      ],
      'PATCH user': [3, () => rest('PATCH', `/api/v1/users/${viewer.id}`, { as: viewer, body: { name: 'Other' } })],
      'DELETE user': [10, () => rest('DELETE', `/api/v1/users/${userId}`, { as: admin })],
      'POST order': [3, () => rest('POST', `/api/v1/${orders}`, { as: viewer, body: eur })],
      'cancel order': [3, () => rest('POST', '/api/v1/orders/1/cancel', { as: viewer })],
      createPost: [2, () => graphql(developer, 'mutation { createPost(title: "t") { id } }')],
      updatePost: [3, () => graphql(developer, `mutation { updatePost(id: ${postId}, title: "u") { id } }`)],
      addComment: [3, () => graphql(developer, `mutation { addComment(postId: ${postId}, text: "u") { id } }`)],
      addMessage: [4, () => graphql(developer, 'mutation { addMessage(channelId: "c", text: "u") { id } }')],
      deletePost: [4, () => graphql(developer, `mutation { deletePost(id: ${postId}) { success } }`)],
    };
    // The server logs the statements of Prisma.
    if (!database.url) delete writes['DELETE user'];
    for (const [name, [most, write]] of Object.entries(writes)) {
      const { statements, result } = await statementsOf(write);
      if ('status' in result) t.ok(result.status < 300, `${name}: ${result.status}`);
      else t.same(result.codes, [], name);
      t.equal(statements.length, most, `${name}\n${statements.join('\n;\n')}`);
    }
    for (const [name, times] of database.url ? Object.entries(trips) : []) {
      const [, write] = writes[name] as (typeof writes)[string];
      // Prisma sends a statement until it is recorded.
      for (let n = 0; n < 3; n++) {
        await write();
        await recordingsOf(client);
      }
      t.equal((await statementsOf(write)).writes, times, `${name}: round trips`);
    }
  });

  t.test('Prisma executes none of them', async (t) => {
    t.strictSame([...statisticsOf(client).fallbacks], []);
  });

  t.test('no statement reads a whole growing table', async (t) => {
    const MANY = 4000;
    await client.$executeRaw`INSERT INTO users (name, email, email_key, role)
      SELECT 'n', n || '@example.com', n || '@example.com', 'VIEWER' FROM generate_series(1, ${MANY}::int) AS n`;
    await client.$executeRaw`INSERT INTO posts (author_id, title) SELECT id, 't' FROM users`;
    await client.$executeRaw`INSERT INTO comments (post_id, author_id, text) SELECT id, author_id, 't' FROM posts`;
    await client.$executeRaw`INSERT INTO messages (channel_id, author_id, text) SELECT 'c' || id % 9, id, 't' FROM users`;
    await client.$executeRaw`INSERT INTO orders (user_id, amount, currency) SELECT id, 1, 'EUR' FROM users`;
    for (const table of ['users', 'posts', 'comments', 'messages', 'orders']) {
      await client.$executeRawUnsafe(`ANALYZE ${table}`);
    }
    const own = `/api/v1/users/${viewer.id}`;
    const { statements } = await statementsOf(async () => {
      for (const document of [NESTED, BY_LEVELS]) {
        const { codes } = await graphql(admin, document);
        t.same(codes, [], log.filter((line) => line.includes('"err"')).join('\n'));
      }
      for (const path of [own, `${own}/orders?after=`, '/api/v1/users?after=&limit=5', '/api/v1/orders/1'])
        await rest('GET', path, { as: admin });
    });
    t.equal(counts.length, 1);
    const texts = [...new Set([...statements, ...counts])].filter((text) => /^\s*SELECT/.test(text));
    t.ok(texts.length > 10);
    t.ok(
      texts.some((text) => /jsonb?_agg/i.test(text)),
      'lists below rows',
    );
    for (const text of texts) {
      const values = [...new Set(text.match(/\$\d+/g))].map(() => 'NULL');
      const plan = await client.$transaction(async (db) => {
        // Prepared statements use the generic plan, which does not depend on values.
        await db.$executeRawUnsafe('SET LOCAL plan_cache_mode = force_generic_plan');
        await db.$executeRawUnsafe(`PREPARE planned AS ${text}`);
        const given = values.length > 0 ? `(${values.join()})` : '';
        const lines = await db.$queryRawUnsafe<object[]>(`EXPLAIN EXECUTE planned${given}`);
        await db.$executeRawUnsafe('DEALLOCATE planned');
        return JSON.stringify(lines);
      });
      t.notMatch(plan, /Seq Scan/, text);
    }
  });
});

onEachDatabase(t, async (t, open) => {
  const LONG = 1000;
  let clock = Date.now();
  const now = () => clock;
  const database = await open();
  const { rest, admin } = await startService(t, database, {}, now);
  const add = (many: number) => database.client.$executeRaw`
    INSERT INTO users (name, email, email_key, role)
    SELECT 'n', key, key, 'VIEWER' FROM (SELECT gen_random_uuid() || '@example.com' AS key FROM generate_series(1, ${many}::int)) AS made`;
  const page = async (query: string) => {
    const { result, statements } = await statementsOf(() => rest('GET', `/api/v1/users?${query}`, { as: admin }));
    const total = Number(result.headers.get('x-total-count'));
    const [, next] = /<([^>]+)>; rel="next"/.exec(result.headers.get('link') ?? '') ?? [];
    return { total, next, ids: result.body.map(({ id }: { id: number }) => id), statements: statements.length };
  };
  const few = await database.client.user.count();

  t.test('the total of a short list is exact', async (t) => {
    await add(LONG - few);
    for (let n = 0; n < 2; n++) t.match(await page('limit=2'), { total: LONG, statements: 2 });
  });

  t.test('the total of a long list is counted once per minute, and the pages contain all rows', async (t) => {
    await add(1);
    t.match(await page('limit=2'), { total: LONG + 1, statements: 3 });
    await add(205);
    t.match(await page('limit=2'), { total: LONG + 1, statements: 1 });
    const seen: number[] = [];
    for (let query: string | undefined = 'limit=100'; query !== undefined; ) {
      const { ids, next, total } = await page(query);
      seen.push(...ids);
      t.ok(total >= seen.length, String(total));
      query = next?.split('?')[1];
    }
    t.equal(seen.length, LONG + 206, 'those too that came after the count');
    t.equal((await page(`limit=100&offset=${LONG + 200}`)).total, LONG + 206, 'the last page knows how many there are');
    t.match(await page(`limit=2&offset=${LONG + 250}`), { ids: [], next: undefined });
    clock += 60_000;
    t.match(await page('limit=2'), { total: LONG + 206, statements: 3 });
    await database.client.$executeRaw`DELETE FROM users WHERE name = 'n'`;
    t.match(await page(`limit=2&offset=${LONG}`), { total: LONG, ids: [] });
    t.match(await page('limit=2'), { total: LONG + 206, statements: 1 }, 'as it was counted, though it is short now');
    clock += 60_000;
    t.match(await page('limit=2'), { total: few, statements: 2 });
  });

  t.test('a count that failed is not kept: the next request counts again', async (t) => {
    await add(LONG);
    const { client } = database;
    let failing = true;
    const count = (args: { take?: number }) =>
      failing && args.take === undefined ? Promise.reject(new Error('an accident')) : client.user.count(args);
    const changed = <T extends object>(target: T, changes: object): T =>
      new Proxy(target, { get: (_, name) => Reflect.get(name in changes ? changes : target, name) });
    const failingClient = changed(client, { user: changed(client.user, { count }) });
    const other = await startInstance(t, { ...database, client: failingClient }, {}, { now });
    const list = () => other.rest('GET', '/api/v1/users?limit=2', { as: admin });
    t.equal((await list()).status, 500);
    failing = false;
    const { status, headers } = await list();
    t.same([status, headers.get('x-total-count')], [200, `${few + LONG}`]);
  });
});

t.test('a closed database rejects statements', async (t) => {
  const { client, close } = await memoryDatabase(t);
  await close();
  t.equal(((await client.user.findMany().catch(faultOf)) as { kind: string }).kind, 'unavailable');
});
