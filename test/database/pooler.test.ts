import t, { type Test } from 'tap';
import { openPool } from '../../src/platform/database/backend.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { beginRouted, findRoute } from '../../src/platform/database/pooler.js';
import { statisticsOf } from '../../src/prepared-prisma/calls.js';
import { answerOf, pooledConnection } from '../../src/prepared-prisma/connection.js';
import { statementOf } from '../../src/prepared-prisma/statement.js';
import { administer, blankDatabase } from '../support/databases.js';
import { forgetfulPooler, keepsPreparedStatements, pgbouncer, skipWithoutPgbouncer } from '../support/poolers.js';
import { eventually, refusedServer, withoutDelays } from '../support/process.js';
import { skipWithoutPostgresql } from '../support/servers.js';

const skip = { skip: skipWithoutPostgresql };
const withPgbouncer = { skip: skipWithoutPostgresql || skipWithoutPgbouncer };
const TOKYO = 'Asia/Tokyo';

/** Creates a database whose settings would shift times and never end a statement. */
async function tokyo(t: Test): Promise<string> {
  const url = await blankDatabase(t);
  await administer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET TimeZone = '${TOKYO}'`);
  return url;
}

const person = (email: string) => ({ name: 'Eve', email, emailKey: email, role: 'VIEWER' });
const SETTINGS = `SELECT ARRAY[current_setting('TimeZone'), current_setting('statement_timeout'),
  current_setting('transaction_isolation'), pg_backend_pid()::text] AS settings`;

/** Uses a database with all kinds of calls at the same time. */
async function checkCalls(t: Test, { client, listen, checkListening, exclusively }: Database): Promise<void> {
  const settings = async (db: Pick<Database['client'], '$queryRawUnsafe'>) =>
    (await db.$queryRawUnsafe<{ settings: string[] }[]>(SETTINGS))[0]?.settings ?? [];
  const right = ['UTC', '4050ms', 'read committed'];
  const processes = new Set<string>();
  const one = async (i: number) => {
    const email = `${i}@example.com`;
    const author = await client.user.create({ data: person(email) });
    t.ok(Math.abs(author.createdAt.getTime() - Date.now()) < 60_000, 'a time is not shifted');
    const [post, seen] = await client.$transaction(async (db) => {
      const [created] = await Promise.all([
        db.post.create({
          data: { title: `${i}`, content: '', author: { connect: { id: author.id } } },
        }),
        db.user.update({ where: { id: author.id }, data: { name: `Eve ${i}` } }),
      ]);
      return [created, await settings(db)];
    });
    t.same(seen.slice(0, 3), right);
    const duplicate = client.user.create({ data: person(email) });
    await t.rejects(duplicate, { code: 'P2002' }, 'an error is the error of its statement');
    for (let times = 0; times < 4; times++) {
      const found = await client.post.findUnique({ where: { id: post.id }, include: { author: true } });
      t.match(found, { title: `${i}`, author: { name: `Eve ${i}`, createdAt: author.createdAt } });
    }
    const alone = await settings(client);
    t.same(alone.slice(0, 3), right);
    processes.add(String(alone[3])).add(String(seen[3]));
  };
  await Promise.all(Array.from({ length: 24 }, (_, i) => one(i)));
  t.equal(await client.user.count(), 24);
  t.ok(processes.size > 1, 'the calls have run in several sessions of the server');

  // The shared connections take 128 reads at once, so the pool runs the others.
  const ids = (await client.user.findMany({ select: { id: true } })).map(({ id }) => id);
  const many = Array.from({ length: 160 }, (_, i) => ids[i % ids.length] as number);
  const find = (id: number) => client.user.findMany({ where: { id }, select: { id: true } });
  const statistics = statisticsOf(client);
  const { prepared } = statistics;
  await eventually('a prepared read', () => find(0).then(() => statistics.prepared > prepared));
  const found = await Promise.all(many.map(find));
  t.same(
    found.map(([user]) => user?.id),
    many,
  );

  const heard: string[] = [];
  await listen(
    'news',
    (payload) => heard.push(payload),
    () => {},
  );
  await client.$executeRaw`SELECT pg_notify('news', 'hello')`;
  await eventually('the signal', () => heard.length > 0);
  t.same(heard, ['hello']);
  t.equal(await checkListening(), true);
  await exclusively(async () => {});
}

const SHARED = /DATABASE_URL leads through a pooler in transaction mode\./;

t.test('a pooler in transaction mode that keeps no settings shifts no time and fails no call', skip, async (t) => {
  const direct = await tokyo(t);
  const database = await openDatabase(await forgetfulPooler(t, direct), { direct });
  t.teardown(database.close);
  t.match(database.route, SHARED);
  t.match(database.route, /Statements are not prepared/);
  t.match(database.route, /Each transaction sets TimeZone, statement_timeout\./);
  await checkCalls(t, database);
});

t.test('PgBouncer in transaction mode serves every call', withPgbouncer, async (t) => {
  const direct = await tokyo(t);
  const { through } = await pgbouncer(t, 'transaction');
  const database = await openDatabase(through(direct), { direct });
  t.teardown(database.close);
  t.match(database.route, SHARED);
  t.match(database.route, keepsPreparedStatements ? /It keeps prepared statements/ : /Statements are not prepared/);
  t.match(database.route, /Each transaction sets statement_timeout\./);
  await checkCalls(t, database);
  const { client } = database;
  await client.$executeRaw`CREATE TABLE parents (id int PRIMARY KEY)`;
  await client.$executeRaw`CREATE TABLE children (parent int REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`;
  for (let times = 0; times < 3; times++)
    await t.rejects(
      client.$executeRaw`INSERT INTO children VALUES (7)`,
      /foreign key/,
      'a write is done when its COMMIT is',
    );
});

t.test('a pooler that loses prepared statements while the service runs fails no call', skip, async (t) => {
  const direct = await tokyo(t);
  const connectionString = await forgetfulPooler(t, direct);
  const options = { statementTimeout: 4050, wait: 2000 };
  // The pooler of the start kept them.
  const route = { ...(await findRoute({ connectionString }, options)), isPrepared: true };
  const pool = openPool({ connectionString, onConnect: beginRouted(route, options) });
  t.teardown(() => pool.end());
  const text = 'SELECT 1 + $1::int AS sum';
  const add = (i: number) => pool.query<{ sum: number }>({ name: 'add', text, values: [i] });
  const single = pooledConnection(pool as never);
  const prepared = statementOf('prepared', text);
  for (let times = 0; times < 3; times++) {
    const found = await Promise.all(Array.from({ length: 24 }, (_, i) => add(i)));
    t.same(
      found.map(({ rows }) => rows[0]?.sum),
      Array.from({ length: 24 }, (_, i) => i + 1),
    );
    t.same((await answerOf(single, prepared([times]))).rows, [[`${times + 1}`]]);
  }
  t.equal(route.isPrepared, false);
});

t.test('transactions set nothing that the role sets', withPgbouncer, async (t) => {
  const direct = await tokyo(t);
  await administer(`ALTER DATABASE ${new URL(direct).pathname.slice(1)} SET statement_timeout = '4050ms'`);
  const { through } = await pgbouncer(t, 'transaction', { ignore_startup_parameters: 'options,statement_timeout' });
  const database = await openDatabase(through(direct), { direct });
  t.teardown(database.close);
  t.notMatch(database.route, /Each transaction sets/);
  await checkCalls(t, database);
});

t.test('PgBouncer in session mode needs no second address', withPgbouncer, async (t) => {
  const direct = await tokyo(t);
  const { through } = await pgbouncer(t, 'session', { ignore_startup_parameters: 'options,statement_timeout' });
  const database = await openDatabase(through(direct));
  t.teardown(database.close);
  t.equal(database.route, 'DATABASE_URL leads through a pooler in session mode.');
  await checkCalls(t, database);
});

t.test('a start that cannot succeed says at once what to change', async (t) => {
  /** Starts the service and returns its message. It must not wait for the database. */
  const refused = async (DATABASE_URL: string, more: Record<string, string> = {}) => {
    const { code, stderr } = await refusedServer(t, { DATABASE_URL, ...more });
    t.equal(code, 1);
    t.notMatch(stderr, /Waiting up to/);
    return withoutDelays(stderr);
  };
  t.test('behind a pooler in transaction mode without a direct address', skip, async (t) => {
    const said = await refused(await forgetfulPooler(t, await blankDatabase(t)));
    t.match(said, /DATABASE_URL leads through a pooler in transaction mode\. Set DATABASE_DIRECT_URL/);
  });
  t.test('with a direct address of another database', skip, async (t) => {
    const said = await refused(await blankDatabase(t), { DATABASE_DIRECT_URL: await blankDatabase(t) });
    t.match(said, /DATABASE_URL and DATABASE_DIRECT_URL lead to different databases/);
  });
  t.test('with a direct address of another form', async () => {
    const said = await refused('pglite://memory', { DATABASE_DIRECT_URL: 'postgres://user:hunter2@localhost/accord' });
    t.match(said, /^accord cannot start\.\nDATABASE_DIRECT_URL: must be an address such as postgres:/);
    t.notMatch(said, /hunter2/);
  });
  t.test('with a direct address of a pooler', withPgbouncer, async (t) => {
    const direct = await blankDatabase(t);
    const { through } = await pgbouncer(t, 'transaction');
    const said = await refused(direct, { DATABASE_DIRECT_URL: through(direct) });
    t.match(said, /DATABASE_DIRECT_URL leads through a pooler in transaction mode/);
  });
  t.test('in statement mode, with an unknown database, user or parameter', withPgbouncer, async (t) => {
    const direct = await blankDatabase(t);
    const { through } = await pgbouncer(t, 'transaction');
    const statements = await pgbouncer(t, 'statement');
    t.match(await refused(statements.through(direct)), /statement pooling/);
    t.match(await refused(through(`${direct}_none`)), /does not exist/);
    t.match(
      await refused(Object.assign(new URL(through(direct)), { username: 'nobody' }).href),
      /authentication failed|no such user/,
    );
    t.match(await refused(`${through(direct)}?options=-c%20work_mem=8MB`), /startup parameter/);
  });
});
