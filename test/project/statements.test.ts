import { Socket } from 'node:net';
import t from 'tap';
import { faultOf } from '../../src/platform/database/faults.js';
import { jsonTableOf } from '../../src/platform/database/json-rows.js';
import { openDatabase } from '../../src/platform/database/open.js';
import { statement } from '../../src/platform/database/statement.js';
import { memoryDatabase, type Opened, onEachDatabase, PATIENT } from '../support/databases.js';
import { waiting } from '../support/locks.js';
import { PASSWORD } from '../support/people.js';
import { eventually } from '../support/process.js';
import { startService } from '../support/service.js';
import { statementsMeanwhile, statementsOf } from '../support/statements.js';
import { tcpProxy } from '../support/tcp-proxy.js';
import { uncommitted } from '../support/uncommitted.js';

/** A row of each kind of column that the schema has, as full and as empty as it can be. */
async function fill({ client }: Opened): Promise<void> {
  const time = new Date('2026-01-02T03:04:05.678Z');
  const person = { name: 'Ada "the Countess", \\ Łąkowa 😀', email: 'Ada@example.com', emailKey: 'ada@example.com' };
  await client.user.create({ data: { ...person, role: 'ADMIN', createdAt: new Date('1969-12-31T23:59:59.9Z') } });
  const { id: userId } = await client.user.create({
    data: { name: '', email: 'b', emailKey: 'b', role: 'VIEWER', passwordHash: '$x', createdAt: time },
  });
  await client.order.create({ data: { userId, amount: -1, currency: 'EUR', status: 'PROCESSING' } });
  await client.post.create({ data: { authorId: userId, title: 't', content: null, createdAt: new Date(0) } });
  const tokenHash = new Uint8Array([0, 1, 127, 128, 255]);
  await client.session.create({ data: { userId, tokenHash, expiresAt: time, revokedAt: null, position: 2n ** 62n } });
  await client.session.create({ data: { userId, tokenHash: null, expiresAt: time, revokedAt: time } });
}

const everything = {
  user: statement<[], object>(
    'all users',
    `SELECT id, name, email, email_key AS "emailKey", role, password_hash AS "passwordHash", created_at AS "createdAt", version
    FROM users ORDER BY id`,
  ),
  order: statement<[], object>(
    'all orders',
    'SELECT id, user_id AS "userId", status, amount, currency, created_at AS "createdAt", version FROM orders ORDER BY id',
  ),
  post: statement<[], object>(
    'all posts',
    'SELECT id, author_id AS "authorId", title, content, created_at AS "createdAt" FROM posts ORDER BY id',
  ),
  session: statement<[], object>(
    'all sessions',
    `SELECT id, position, user_id AS "userId", token_hash AS "tokenHash", created_at AS "createdAt",
      expires_at AS "expiresAt", revoked_at AS "revokedAt" FROM sessions ORDER BY id`,
  ),
};

/** A value of each type that Prisma reads. */
const literals: Record<string, string> = {
  bool: 'true',
  bytea: String.raw`'\x00277f80ff'`,
  name: "'users'",
  int8: "'-9223372036854775808'",
  int2: "'-7'",
  int4: '2147483647',
  text: String.raw`E'a "b", {c} \\ NULL \n'`,
  oid: '4294967295',
  json: `'{"a": [1, "b", null]}'`,
  jsonb: `'{"a": [1, "b", null]}'`,
  xml: "'<a/>'",
  cidr: "'10.0.0.0/8'",
  float4: '1.5',
  float8: "'-1e300'",
  money: '12.34',
  inet: "'10.0.0.1'",
  bpchar: "'EUR'",
  varchar: "'a,b'",
  date: "'2026-02-28'",
  time: "'23:59:59.25'",
  timestamp: "'2026-02-28 23:59:59.125'",
  timestamptz: "'2026-02-28 23:59:59+05:30'",
  timetz: "'01:02:03+00'",
  bit: "'1'",
  varbit: "'101'",
  numeric: '12345678901234567890.123',
  uuid: "'019376a0-0000-7000-8000-000000000000'",
  order_status: "'PAID'",
};
/** Those of which Prisma reads no lists, or not as lists. */
const withoutLists = ['name', 'timetz', 'order_status'];

const insertUser = statement<[email: string], { id: number }>(
  'a new user',
  `INSERT INTO users (name, email, email_key, role) VALUES ('', $1, $1, 'VIEWER') RETURNING id`,
);

/** As another connection sees them, where there can be one. */
async function emailsElsewhere({ url, client }: Opened): Promise<string[]> {
  return url ? (await client.user.findMany()).map(({ email }) => email) : [];
}

const given = statement<[string, number, bigint, boolean, Date, Uint8Array, null, number[], string[]], object>(
  'what is given',
  `SELECT $1::text AS a, $2::int AS b, $3::bigint AS c, $4::bool AS d, $5::timestamptz AS e, $6::bytea AS f, $7::text AS g,
    cardinality($8::int[]) AS h, ($9::text[])[2] AS i`,
);

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client, statements } = database;
  await fill(database);

  t.test('a prepared statement gives what Prisma gives: values, types, nulls, times and bytes', async (t) => {
    for (const times of ['prepared', 'again']) {
      for (const [model, all] of Object.entries(everything)) {
        const rows = await statements.run(all);
        const { findMany } = client[model as keyof typeof everything] as {
          findMany: (args: object) => Promise<object[]>;
        };
        t.strictSame(rows, await findMany({ orderBy: { id: 'asc' } }), `${model}, ${times}`);
        t.strictSame(rows, await statements.read(all), 'on either connection');
      }
    }
  });

  t.test('so does what is read within JSON', async (t) => {
    for (const model of ['User', 'Order', 'Post', 'Session'] as const) {
      const { name, members } = jsonTableOf(client, model);
      const all = [...members.values()];
      const values = all.map(({ json }) => json('row')).join(', ');
      const text = `SELECT json_build_array(${values}) AS json FROM ${name} AS row ORDER BY row.id`;
      const read = await statements.read(statement<[], { json: never[] }>(`${model} in JSON`, text));
      const rows = read.map(({ json }) =>
        Object.fromEntries(
          all.map(({ name, decode }, n) => [name, decode && json[n] !== null ? decode(json[n] as never) : json[n]]),
        ),
      );
      t.ok(rows.length > 0);
      t.strictSame(rows, await statements.read(everything[model.toLowerCase() as keyof typeof everything]), model);
    }
  });

  t.test('and what Prisma makes of each type, and of lists of it', async (t) => {
    for (const [type, literal] of Object.entries(literals)) {
      const one = `${literal}::${type} AS value, NULL::${type} AS nothing`;
      const lists = `ARRAY[${literal}::${type}, ${literal}::${type}] AS list, '{}'::${type}[] AS "empty list"`;
      const text = `SELECT ${withoutLists.includes(type) ? one : `${one}, ${lists}`}`;
      const rows = await statements.read(statement(type, text));
      t.strictSame(rows, await client.$queryRawUnsafe<object[]>(text), type);
    }
  });

  t.test('what it is given arrives as it is', async (t) => {
    const bytes = new Uint8Array([0, 39, 92, 255]);
    const time = new Date('2026-11-22T16:00:00.001Z');
    const texts = ['', 'a "quoted", \\ {b} NULL'];
    const row = { a: "O'Hara \\ $1", b: -7, c: 2n ** 40n, d: true, e: time, f: bytes, g: null, h: 3, i: texts[1] };
    const found = await statements.read(given, row.a, row.b, row.c, row.d, row.e, row.f, null, [1, 2, 3], texts);
    t.strictSame(found, [row]);
    t.match(await statements.read(given, '', 0, 0n, false, time, bytes, null, [], []), [{ h: 0, i: null }]);
  });

  t.test('it is sent once, and faults are told as those of Prisma are', async (t) => {
    const write = statement<[email: string], { id: number }>(
      'a user',
      `INSERT INTO users (name, email, email_key, role) VALUES ('', $1, $1, 'VIEWER') RETURNING id`,
    );
    const { statements: sent } = await statementsMeanwhile(() => statements.run(write, 'c'));
    t.strictSame(sent, [write.text]);
    const thrown = (work: Promise<unknown>) => work.then(() => undefined, faultOf);
    t.strictSame(await thrown(statements.run(write, 'c')), { kind: 'unique', constraint: 'users_email_key_key' });
    const orphan = statement('an orphan', `INSERT INTO posts (author_id, title) VALUES (2147483647, '')`);
    t.strictSame(await thrown(statements.run(orphan)), { kind: 'reference' });
    t.strictSame(await statements.run(statement('nothing', 'DELETE FROM comments')), []);
    await t.rejects(statements.read(statement('a place', 'SELECT point(1, 2) AS place')), {
      message: /cast it in the statement/,
    });
    t.equal((await statements.read(everything.user)).length, 3, 'and the connection is sound');
  });

  t.test('none is run in the midst of a transaction of another', async (t) => {
    let seen: Promise<object[]> | undefined;
    const rolledBack = client.$transaction(async (db) => {
      await db.user.deleteMany();
      seen = statements.read(everything.user);
      await db.user.count();
      throw new Error('back');
    });
    await t.rejects(rolledBack, { message: 'back' });
    t.equal((await seen)?.length, 3);
  });

  t.test('a transaction is committed as a whole, or not at all', async (t) => {
    const { $transaction } = statements;
    const emails = async () => (await client.user.findMany({ orderBy: { id: 'asc' } })).map(({ email }) => email);
    const before = await emails();
    const made = await $transaction(async (db) => {
      const [user] = await db.run(insertUser, 'one');
      t.equal(await db.$executeRaw`UPDATE users SET name = ${'n'} WHERE id = ANY(${[user?.id]}::int[])`, 1);
      t.notOk((await emailsElsewhere(database)).includes('one'), 'which others do not see before');
      return db.$queryRaw<{ name: string }[]>`SELECT name FROM users WHERE email = ${'one'}`;
    });
    t.strictSame(made, [{ name: 'n' }]);
    t.strictSame(await emails(), [...before, 'one']);

    const thrown = (work: Promise<unknown>) => work.then(() => undefined, faultOf);
    const own = new Error('of the work');
    const rolledBack = $transaction(async (db) => {
      await db.run(insertUser, 'two');
      throw own;
    });
    await t.rejects(rolledBack, own);
    const twice = $transaction((db) => Promise.all([db.run(insertUser, 'two'), db.run(insertUser, 'one')]));
    t.strictSame(await thrown(twice), { kind: 'unique', constraint: 'users_email_key_key' });
    const swallowed = $transaction(async (db) => {
      await db.run(insertUser, 'two');
      await db.run(insertUser, 'one').catch(() => {});
    });
    await t.rejects(swallowed, { message: /A statement of the transaction failed/ }, 'also of what is not waited for');
    t.strictSame(await emails(), [...before, 'one']);
    t.equal(await $transaction(async () => 7), 7, 'one of no statement');
    await client.user.deleteMany({ where: { email: 'one' } });
  });

  t.test('its statements are on their way together, and nothing else is between them', async (t) => {
    const others: Promise<unknown>[] = [];
    const { statements: sent } = await statementsMeanwhile(() =>
      statements.$transaction(async (db) => {
        const first = db.run(insertUser, 'one');
        others.push(statements.run(everything.post));
        const second = db.$queryRaw`SELECT pg_sleep(0.01)`;
        await Promise.all([first, second]);
        await db.run(everything.user);
      }),
    );
    await Promise.all(others);
    const own = sent.filter((text) => text !== everything.post.text && !/^(BEGIN|COMMIT)/.test(text));
    t.strictSame(own, [insertUser.text, 'SELECT pg_sleep(0.01)', everything.user.text]);
    await client.user.deleteMany({ where: { email: 'one' } });
  });

  t.test('one that takes too long is rolled back, and no statement of it comes after', async (t) => {
    const other = await openDatabase(database.url ?? 'pglite://memory', { limits: { ...PATIENT, transaction: 30 } });
    const { client: beside, statements: hurried } = other;
    const kindOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: unknown) => faultOf(error).kind,
      );
    let late: Promise<string> | undefined;
    const over = hurried.$transaction(async (db) => {
      await db.run(insertUser, 'late');
      await over.catch(() => {});
      late = kindOf(db.run(insertUser, 'later'));
    });
    t.equal(await kindOf(over), 'timeout');
    t.equal(await eventually('a statement that comes late', async () => late), 'timeout');
    t.equal(await beside.user.count({ where: { email: { startsWith: 'late' } } }), 0);
    await other.close();
  });

  t.test('what a transaction leaves running is sent nowhere once it is over', async (t) => {
    const own = new Error('of the work');
    for (const [how, end] of [
      ['failed', () => Promise.reject(own)],
      ['done', async () => {}],
    ] as const) {
      let rest: Promise<unknown> | undefined;
      const over: Promise<void> = statements.$transaction(async (db) => {
        await db.run(everything.post);
        rest = over.catch(() => {}).then(() => db.run(insertUser, 'left over'));
        await end();
      });
      await over.catch((error: unknown) => t.equal(error, own));
      await t.rejects(rest as Promise<unknown>, { message: /transaction is over/ }, how);
      t.equal(await client.user.count({ where: { email: 'left over' } }), 0, how);
    }
  });

  t.test('a write of which was told that it took too long is not done after that', async (t) => {
    if (!database.url) return t.comment('the embedded database does one thing at a time');
    const hurried = await openDatabase(database.url, { limits: { ...PATIENT, answer: 1000 } });
    const { commit, over } = await uncommitted(client, (db) => db.$executeRaw`LOCK TABLE users`);
    const fault = await hurried.statements.run(insertUser, 'too late').then(() => undefined, faultOf);
    t.same(fault, { kind: 'timeout' });
    commit();
    await over;
    await eventually('nobody is at it', async () => {
      const [row] = await client.$queryRaw<{ busy: bigint }[]>`SELECT count(*) AS busy FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE 'INSERT INTO users%'`;
      return row?.busy === 0n;
    });
    t.equal(await client.user.count({ where: { email: 'too late' } }), 0);
    await hurried.close();
  });

  t.test('one that takes long holds up none that come after it', async (t) => {
    if (!database.url) return t.comment('the embedded database does one thing at a time');
    const held: Promise<object[]>[] = [];
    const others: Promise<object[]>[] = [];
    await client.$transaction(
      async (db) => {
        await db.$executeRaw`LOCK TABLE users`;
        for (let n = 0; n < 2; n++) held.push(statements.read(everything.user));
        for (let n = 0; n < 8; n++) others.push(statements.read(everything.post));
        await Promise.all(others);
        t.equal(await waiting(database), 2, 'both shared connections');
        t.equal((await statements.read(everything.post)).length, 1);
      },
      { timeout: PATIENT.transaction },
    );
    t.same(
      (await Promise.all(held)).map(({ length }) => length),
      [3, 3],
    );
  });

  t.test('one that waits for its connection to open is answered elsewhere, once', async (t) => {
    if (!database.url) return t.comment('the embedded database has no connection');
    const address = new URL(database.url);
    const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) });
    Object.assign(address, { hostname: '127.0.0.1', port: String(line.port) });
    const behind = await openDatabase(address.href, { limits: PATIENT });
    line.set({ latency: 100 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => behind.statements.read(everything.post)));
    t.same(
      answers.map(({ length }) => length),
      Array(8).fill(1),
    );
    t.equal((await behind.statements.read(everything.post)).length, 1);
    line.set('sound');
    await behind.close();
  });

  t.test('what a connection is sent in one turn goes out in one write', async (t) => {
    if (!database.url) return t.comment('the embedded database has no connection');
    const read = () => statements.read(everything.post);
    await Promise.all([read(), read()]);
    const transaction = () => statements.$transaction((db) => db.run(everything.post));
    await transaction();
    const socket = Socket.prototype as Required<Socket>;
    const one = t.capture(socket, '_write', socket._write);
    const several = t.capture(socket, '_writev', socket._writev);
    // Tap writes as well, to what is no connection.
    const written = () => [...one(), ...several()].filter(({ receiver }) => (receiver as Socket).remotePort).length;
    await Promise.all(Array.from({ length: 20 }, read));
    t.equal(written(), 2, 'one for each of the connections that are shared');
    await transaction();
    t.equal(written(), 2, 'BEGIN with the first statement, and COMMIT');
  });

  t.test(
    'what is under way on a connection that is lost is read elsewhere, and the connection is replaced',
    async (t) => {
      if (!database.url) return t.comment('the embedded database has no connection');
      const address = new URL(database.url);
      const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) });
      Object.assign(address, { hostname: '127.0.0.1', port: String(line.port) });
      const behind = await openDatabase(address.href);
      const kindOf = (work: Promise<object[]>) =>
        work.then(
          () => 'answered',
          (error: unknown) => faultOf(error).kind,
        );
      const ask = () => kindOf(behind.statements.read(everything.post));
      t.equal(await ask(), 'answered');
      line.set('black hole');
      const cut = Promise.all(Array.from({ length: 8 }, ask));
      line.set('sound');
      line.cut();
      t.same(await cut, Array(8).fill('answered'));
      t.equal(await ask(), 'answered');
      line.set('black hole');
      const lost = ask();
      line.set('refused');
      t.equal(await lost, 'unavailable', 'unless there is none to be had');
      t.equal(await ask(), 'unavailable');
      line.set('sound');
      await eventually('an answer', async () => (await ask()) === 'answered' || undefined);
      t.equal(behind.connections()?.shared, 1);
      await behind.close();
      t.equal(await ask(), 'unavailable', 'and none is opened once it is closed');
    },
  );
});

/** Reads a part of each list, and a thing of each kind by its id. */
const NESTED = `{
  me { id } user(id: 1) { id } usersConnection(last: 3) { edges { node { id } } }
  users(limit: 20, offset: 5) { posts(limit: 3) { content comments(limit: 3) { text author { name } } } }
  post(id: 1) { title } posts(limit: 3) { title author { posts { title } } }
  messages(channelId: "c1", before: 5000, limit: 5) { text author { name } }
}`;
/** And below authors who do not come from a statement that reads along. */
const BY_LEVELS = `{
  messages(channelId: "c1", limit: 3) {
    author { posts(limit: 3) { content comments(limit: 3) { text author { name posts(limit: 3) { title } } } } }
  }
}`;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const { rest, graphql, admin, developer, viewer, log } = await startService(t, database);

  /** Plans are asked for of these, too. */
  const counts: string[] = [];

  t.test('each read is one statement', async (t) => {
    for (const path of [`users/${viewer.id}`, 'auth/me', 'users?after=&limit=2', 'users?limit=2']) {
      const { statements } = await statementsOf(() => rest('GET', `/api/v1/${path}`, { as: viewer }));
      t.equal(statements.length, path.endsWith('users?limit=2') ? 2 : 1, path);
      counts.push(...statements.filter((text) => text.includes('count(*)')));
    }
  });

  t.test('each write is the fewest statements that it can be', async (t) => {
    let n = 0;
    const person = () => ({ name: 'New', email: `new${++n}@example.com`, role: 'viewer' });
    const key = (value: string) => ({ 'idempotency-key': value });
    const credentials = { email: viewer.email, password: PASSWORD };
    const eur = { total: { amount: 1, currency: 'EUR' } };
    const orders = `users/${viewer.id}/orders`;
    await graphql(developer, 'mutation { createPost(title: "stays") { id } }');
    const { id: postId } = (await graphql(developer, 'mutation { createPost(title: "t") { id } }')).data.createPost;
    const { id: userId } = (await rest('POST', '/api/v1/users', { as: admin, body: person() })).body;
    const writes: Record<string, [number, () => Promise<{ status: number } | { codes: unknown[] }>]> = {
      'login from a new place': [4, () => rest('POST', '/api/v1/auth/login', { body: credentials })],
      login: [4, () => rest('POST', '/api/v1/auth/login', { body: credentials })],
      'login for an opaque token': [
        4,
        () => rest('POST', '/api/v1/auth/login', { body: { ...credentials, flow: 'opaque' } }),
      ],
      'POST user': [1, () => rest('POST', '/api/v1/users', { as: admin, body: person() })],
      'POST user with a key': [
        6,
        () => rest('POST', '/api/v1/users', { as: admin, body: person(), headers: key('one') }),
      ],
      'PATCH user': [2, () => rest('PATCH', `/api/v1/users/${viewer.id}`, { as: viewer, body: { name: 'Other' } })],
      'DELETE user': [10, () => rest('DELETE', `/api/v1/users/${userId}`, { as: admin })],
      'POST order': [2, () => rest('POST', `/api/v1/${orders}`, { as: viewer, body: eur })],
      'cancel order': [4, () => rest('POST', '/api/v1/orders/1/cancel', { as: viewer })],
      createPost: [1, () => graphql(developer, 'mutation { createPost(title: "t") { id } }')],
      updatePost: [3, () => graphql(developer, `mutation { updatePost(id: ${postId}, title: "u") { id } }`)],
      addComment: [2, () => graphql(developer, `mutation { addComment(postId: ${postId}, text: "u") { id } }`)],
      addMessage: [4, () => graphql(developer, 'mutation { addMessage(channelId: "c", text: "u") { id } }')],
      deletePost: [4, () => graphql(developer, `mutation { deletePost(id: ${postId}) { success } }`)],
    };
    // By Prisma, whose statements are heard on a server.
    if (!database.url) delete writes['DELETE user'];
    for (const [name, [most, write]] of Object.entries(writes)) {
      const { statements, result } = await statementsOf(write);
      if ('status' in result) t.ok(result.status < 300, `${name}: ${result.status}`);
      else t.same(result.codes, [], name);
      t.equal(statements.length, most, `${name}\n${statements.join('\n;\n')}`);
    }
  });

  t.test('none reads the whole of a table that grows', async (t) => {
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
    t.equal(texts.filter((text) => text.includes('json_agg')).length, 2, 'lists below users, and below posts');
    for (const text of texts) {
      const values = [...new Set(text.match(/\$\d+/g))].map(() => 'NULL');
      const plan = await client.$transaction(async (db) => {
        // As it is planned once for all values.
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

  t.test('that of a long one is counted once in a minute, and the pages show all there is', async (t) => {
    await add(1);
    t.match(await page('limit=2'), { total: LONG + 1, statements: 3 });
    await add(5);
    t.match(await page('limit=2'), { total: LONG + 1, statements: 1 });
    const seen: number[] = [];
    for (let query: string | undefined = 'limit=100'; query !== undefined; ) {
      const { ids, next, total } = await page(query);
      seen.push(...ids);
      t.ok(total >= seen.length, String(total));
      query = next?.split('?')[1];
    }
    t.equal(seen.length, LONG + 6, 'those too that came after the count');
    t.equal((await page(`limit=100&offset=${LONG}`)).total, LONG + 6, 'the last page knows how many there are');
    t.match(await page(`limit=2&offset=${LONG + 50}`), { ids: [], next: undefined });
    clock += 60_000;
    t.match(await page('limit=2'), { total: LONG + 6, statements: 3 });
    await database.client.$executeRaw`DELETE FROM users WHERE name = 'n'`;
    t.match(await page(`limit=2&offset=${LONG}`), { total: LONG, ids: [] });
    t.match(await page('limit=2'), { total: LONG + 6, statements: 1 }, 'as it was counted, though it is short now');
    clock += 60_000;
    t.match(await page('limit=2'), { total: few, statements: 2 });
  });
});

t.test('a closed database says so', async (t) => {
  const { statements, close } = await memoryDatabase(t);
  await close();
  t.equal(((await statements.read(everything.user).catch(faultOf)) as { kind: string }).kind, 'unavailable');
});
