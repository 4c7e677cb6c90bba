import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import { dataModel, PrismaClient } from '../../src/platform/database/client.js';
import { templatePath } from '../../src/platform/database/data-directory.js';
import { createMemoryDatabase, embeddedPool, makeTemplate } from '../../src/platform/database/embedded.js';
import { faultOf } from '../../src/platform/database/faults.js';
import { readMigrations } from '../../src/platform/database/migrations.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { openPostgres } from '../../src/platform/database/postgres.js';
import { rootPath } from '../../src/platform/root.js';
import { recordingsOf } from '../../src/prepared-prisma/calls.js';
import { preparedClient } from '../../src/prepared-prisma/prepared-client.js';
import { generatePrismaClient, prismaClientIsCurrent } from '../../src/workbench/model/prisma-schema.js';
import { checkMigrations, createMigration } from '../../src/workbench/prisma/migration-diff.js';
import { migrationFilters, migrationList, schemaEngine } from '../../src/workbench/prisma/migration-engine.js';
import { blankDatabase, TEST_TIMEOUTS_MS } from '../support/databases.js';
import { atEnd } from '../support/ending.js';
import { eventually } from '../support/process.js';
import { POSTGRESQL, skipWithoutPostgresql } from '../support/servers.js';
import { tcpProxy } from '../support/tcp-proxy.js';

const scratch = mkdtempSync(join(tmpdir(), 'accord-database-'));
atEnd(() => rmSync(scratch, { recursive: true, force: true }));
const folder = (name: string): string => join(scratch, name);

const user = (email: string) => ({ name: 'Ada', email, emailKey: email, role: 'VIEWER' as const });
const recorded = (database: Database) =>
  database.client.$queryRaw<{ migration_name: string; finished: boolean }[]>`
    SELECT migration_name, finished_at IS NOT NULL AS finished FROM _prisma_migrations ORDER BY started_at`;

/** A process that opens `url`, adds a user, prints the result, and runs until it is killed. */
function otherProcess(url: string): ChildProcess {
  const script = `
    const { openDatabase } = await import(${JSON.stringify(rootPath('src', 'platform', 'database', 'open.ts'))});
    try {
      const { client } = await openDatabase(${JSON.stringify(url)});
      await client.user.create({ data: ${JSON.stringify(user('other@example.com'))} });
      console.log('ready');
    } catch (error) {
      console.log(error.message);
    }`;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  return spawn(process.execPath, args, { cwd: rootPath(), env, stdio: ['ignore', 'pipe', 'inherit'] });
}

const said = async (child: ChildProcess): Promise<string> =>
  String((await once(child.stdout ?? child, 'data'))[0]).trim();

let snapshot: Blob;

t.test('an invalid address is rejected without its password in the message', async (t) => {
  for (const url of [
    'mysql://user:secret@host/name',
    'pglite://data',
    'postgres://user:secret@host/name?schema=other',
  ]) {
    await t.rejects(openDatabase(url), { message: /^DATABASE_URL(?!.*secret)/ }, url);
  }
});

t.test('a new database is migrated, and a snapshot of it opens without migrating', async (t) => {
  const first = await openDatabase('pglite://memory');
  t.equal(first.kind, 'embedded');
  t.equal(first.label, 'embedded PostgreSQL in memory');
  const names = readdirSync(rootPath('prisma', 'migrations'), { withFileTypes: true });
  t.strictSame(
    first.migrated,
    names
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
  );
  t.strictSame(
    await recorded(first),
    first.migrated.map((migration_name) => ({ migration_name, finished: true })),
  );
  await first.client.user.create({ data: user('ada@example.com') });
  snapshot = await first.dump();
  await first.close();
  await first.close();
  t.equal(faultOf(await first.client.user.count().catch((error: unknown) => error)).kind, 'unavailable');

  const second = await openDatabase('pglite://memory', { snapshot });
  t.strictSame(second.migrated, []);
  t.equal(await second.client.user.count(), 1);
  await second.close();
});

t.test('a new database starts from the snapshot of the same migrations, or runs all of them', async (t) => {
  const migrations = folder('built');
  const write = (name: string, script: string) => {
    mkdirSync(join(migrations, name), { recursive: true });
    writeFileSync(join(migrations, name, 'migration.sql'), script);
  };
  /** Opens a new directory, and returns the ids of its migrations. A copy has the ids of its source. */
  const begun = async (url: string) => {
    const { client, migrated, close } = await openDatabase(url, { migrations });
    const rows = await client.$queryRaw<{ id: string }[]>`SELECT id FROM _prisma_migrations ORDER BY started_at`;
    const columns = await client.$queryRaw<{ column_name: string }[]>`
      SELECT column_name FROM information_schema.columns WHERE table_name = 'note' ORDER BY ordinal_position`;
    await close();
    return { migrated, ids: rows.map(({ id }) => id), columns: columns.map((column) => column.column_name) };
  };
  const [one, two] = [`pglite://${folder('built-one')}`, `pglite://${folder('built-two')}`];
  write('0_note', 'CREATE TABLE note (id INT)');
  const built = templatePath(readMigrations(migrations));
  t.teardown(() => rmSync(built));
  mkdirSync(join(built, '..'), { recursive: true });
  writeFileSync(built, await makeTemplate(readMigrations(migrations)));
  const first = await begun(one);
  t.match(first, { migrated: ['0_note'], columns: ['id'] });
  t.same(await begun('pglite://memory'), first, 'in memory as on disk');
  t.match(await begun(one), { ...first, migrated: [] });

  write('1_text', 'ALTER TABLE note ADD COLUMN body TEXT');
  t.match(await begun(one), { migrated: ['1_text'], columns: ['id', 'body'] }, 'a database of before is migrated');
  const newer = await begun(two);
  t.match(newer, { migrated: ['0_note', '1_text'], columns: ['id', 'body'] });
  t.notOk(
    newer.ids.some((id) => first.ids.includes(id)),
    'what was built of others is not used',
  );

  rmSync(join(migrations, '1_text'), { recursive: true });
  write('0_note', 'CREATE TABLE note (number INT)');
  t.match(await begun('pglite://memory'), { migrated: ['0_note'], columns: ['number'] }, 'nor where one was edited');
});

t.test('a data directory belongs to one process, and survives its end', async (t) => {
  const directory = folder('data');
  const url = `pglite://${directory}`;
  // A killed first start leaves such a directory.
  mkdirSync(join(directory, 'unfinished', 'base'), { recursive: true });
  writeFileSync(join(directory, 'unfinished', 'PG_VERSION'), '');

  const first = otherProcess(url);
  t.teardown(() => first.kill('SIGKILL'));
  t.equal(await said(first), 'ready', 'a half-made one is made anew');

  const refusal = new RegExp(`The directory is in use by process ${first.pid}\\b`);
  await t.rejects(openDatabase(url), { message: refusal }, 'a second process is refused with the pid of the first');

  first.kill('SIGKILL');
  await once(first, 'exit');
  const again = await openDatabase(url);
  t.strictSame(again.migrated, [], 'kill -9 leaves no lock, and nothing is migrated twice');
  t.match(await again.client.user.findMany(), [{ email: 'other@example.com' }], 'what was acknowledged is there');
  const [memory] = await again.client.$queryRaw<[{ allocated: number }]>`
    SELECT sum(allocated_size)::int / 1024 / 1024 AS allocated FROM pg_shmem_allocations`;
  t.ok(
    memory.allocated < 64,
    `${memory.allocated} MB: what PostgreSQL holds for itself is in the memory of this process`,
  );
  t.ok(again.label.endsWith(directory));

  const itself = new RegExp(`in use by process ${process.pid}\\b`);
  await t.rejects(openDatabase(url), { message: itself }, 'nor does one process open it twice');
  const cut = again.client.$transaction(async (db) => {
    await db.user.create({ data: user('late@example.com') });
    await again.close();
  });
  await t.rejects(cut, 'closing does not wait for a transaction');
  const last = await openDatabase(url);
  t.equal(await last.client.user.count(), 1, 'and rolls it back');
  await last.close();
});

t.test('a migration that fails names its file and line, leaves nothing behind and can be repaired', async (t) => {
  const migrations = folder('failing');
  const file = join(migrations, '9_second', 'migration.sql');
  cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
  mkdirSync(join(file, '..'));
  writeFileSync(file, "CREATE TABLE extra (note TEXT DEFAULT ';');\n\nALTER TABLE users ADD COLUMN x NO_SUCH_TYPE;\n");
  const url = `pglite://${folder('failing-data')}`;
  const failure = {
    message: /Migration 9_second failed: .*9_second\/migration\.sql:3: type "no_such_type" does not exist/,
  };
  await t.rejects(openDatabase(url, { migrations }), failure);
  await t.rejects(openDatabase(url, { migrations }), failure, 'the next start tries it again');

  await t.rejects(checkMigrations({ folder: migrations }), failure, 'a comparison says the same');

  writeFileSync(file, "CREATE TABLE extra (note TEXT DEFAULT ';');\n");
  const repaired = await openDatabase(url, { migrations });
  t.strictSame(repaired.migrated, ['9_second']);

  await repaired.client.$executeRaw`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '0_init'`;
  await repaired.close();
  await t.rejects(openDatabase(url, { migrations }), { message: /Migration 0_init has not finished/ });
});

t.test('a migration that cannot be part of a transaction runs without', async (t) => {
  const migrations = folder('concurrent');
  cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
  mkdirSync(join(migrations, '9_index'));
  writeFileSync(join(migrations, '9_index', 'migration.sql'), 'CREATE INDEX CONCURRENTLY by_name ON users (name);\n');
  const database = await openDatabase('pglite://memory', { snapshot, migrations });
  t.strictSame(database.migrated, ['9_index']);
  t.match(await database.client.$queryRaw`SELECT indexname FROM pg_indexes WHERE indexname = 'by_name'`, [{}]);
  await database.close();
});

t.test('old tombstones keep their kinds', async (t) => {
  const migrations = folder('kinds');
  cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
  rmSync(join(migrations, '20261122160000_tombstones_by_kind'), { recursive: true });
  const before = await openDatabase('pglite://memory', { migrations });
  await before.client.$executeRaw`INSERT INTO tombstones (kind, id) VALUES ('COMMENT', 7), ('USER', 8)`;
  const kept = await before.dump();
  await before.close();
  const { client, close } = await openDatabase('pglite://memory', { snapshot: kept });
  t.match(await client.tombstone.findMany({ orderBy: { id: 'asc' } }), [{ kind: 'COMMENT' }, { kind: 'USER' }]);
  await client.tombstone.create({ data: { kind: 'a document', id: 7 } });
  await close();
});

t.test('a rejected statement leaves the other statements of its transaction in it', async (t) => {
  const pglite = await createMemoryDatabase();
  await pglite.exec('CREATE TABLE note (id INT)');
  let isFull = true;
  const admit = (sql: string) => {
    if (isFull && sql.startsWith('INSERT')) throw new Error('The disk is full.');
  };
  const own = new Error('of the work');
  const pool = embeddedPool(pglite, TEST_TIMEOUTS_MS, admit);
  const client = preparedClient((adapter) => new PrismaClient({ adapter }), pool, dataModel);
  const rolledBack = client.$transaction(async (db) => {
    await t.rejects(db.$executeRaw`INSERT INTO note VALUES (1)`, { message: 'The disk is full.' });
    isFull = false;
    await db.$executeRaw`INSERT INTO note VALUES (2)`;
    throw own;
  });
  await t.rejects(rolledBack, own);
  t.same(await client.$queryRaw`SELECT id FROM note`, []);
  isFull = true;
  const caught = client.$transaction(async (db) => {
    await db.$executeRaw`UPDATE note SET id = 3`;
    // COMMIT is sent before the result arrives.
    db.$executeRaw`INSERT INTO note VALUES (3)`.catch(() => {});
  });
  await t.rejects(caught, { message: /The disk is full/ }, 'a transaction with a rejected statement is not committed');
  isFull = false;
  t.equal(await client.$executeRaw`INSERT INTO note VALUES (4)`, 1, 'the next one is');
  isFull = true;
  await t.rejects(client.$executeRaw`INSERT INTO note VALUES (5)`, { message: 'The disk is full.' }, 'without one');
  t.same(await client.$queryRaw`SELECT id FROM note`, [{ id: 4 }]);
  await pglite.close();
});

t.test("Prisma's own engine finds the history in order", async (t) => {
  const pglite = await createMemoryDatabase(snapshot);
  const engine = await schemaEngine(embeddedPool(pglite));
  const migrationsList = migrationList(readMigrations());
  t.match(
    await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: migrationFilters }),
    {
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    },
  );
  t.strictSame(await engine.applyMigrations({ migrationsList, filters: migrationFilters }), {
    appliedMigrationNames: [],
  });
  engine.free();
  await pglite.close();
});

t.test('an applied migration that was edited is rejected by name', async (t) => {
  const migrations = folder('edited');
  cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
  writeFileSync(join(migrations, '0_init', 'migration.sql'), '-- nothing\n');
  await t.rejects(openDatabase('pglite://memory', { snapshot, migrations }), {
    message: /Migration 0_init was edited/,
  });
});

t.test('the migrations give exactly schema.prisma', async (t) => {
  t.equal(await checkMigrations(), undefined);
  const migrations = folder('created');
  cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
  t.equal(
    await createMigration('nothing', { folder: migrations }),
    undefined,
    'without a change there is no migration',
  );

  const schema = folder('changed.prisma');
  const text = readFileSync(rootPath('prisma', 'schema.prisma'), 'utf8');
  writeFileSync(schema, text.replace(/^model User \{$/m, '$&\n  nickname String?'));
  const path = await createMigration('Add nick-name', { folder: migrations, schema }, new Date('2026-01-02T03:04:05Z'));
  t.equal(path, join(migrations, '20260102030405_add_nick_name', 'migration.sql'));
  t.match(readFileSync(path ?? '', 'utf8'), /ALTER TABLE "users" ADD COLUMN\s+"nickname" TEXT/);
  t.match(await checkMigrations({ folder: migrations }), /nickname/, 'a difference is reported');
});

t.test('the Prisma client is generated, and a stale one is detected', async (t) => {
  t.equal(await prismaClientIsCurrent(), true);
  const copy = folder('project');
  cpSync(rootPath('prisma', 'schema.prisma'), join(copy, 'prisma', 'schema.prisma'));
  t.equal(await prismaClientIsCurrent(copy), false, 'there is none yet');
  symlinkSync(rootPath('node_modules'), join(copy, 'node_modules'));
  await generatePrismaClient(copy);
  t.ok(existsSync(join(copy, 'generated', 'prisma', 'client.ts')));
  t.equal(await prismaClientIsCurrent(copy), true);
  const text = readFileSync(rootPath('prisma', 'schema.prisma'), 'utf8');
  writeFileSync(join(copy, 'prisma', 'schema.prisma'), `${text}\nmodel Broken {\n  id Integer @id\n}\n`);
  t.equal(await prismaClientIsCurrent(copy), false, 'the schema has changed');
  const line = text.split('\n').length + 2;
  await t.rejects(generatePrismaClient(copy), { message: new RegExp(`Integer[^]*prisma/schema\\.prisma:${line}`) });
});

/** Triggers cause faults: one raises the SQLSTATE in a new name, another raises one at COMMIT. */
async function faults(t: Test, { client }: Database): Promise<void> {
  const { id } = await client.user.upsert({
    where: { emailKey: 'ada@example.com' },
    update: {},
    create: user('ada@example.com'),
  });
  const kindOf = async (work: Promise<unknown>) =>
    faultOf(
      await work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  const duplicate = { kind: 'unique', constraint: 'users_email_key_key' };
  t.strictSame(await kindOf(client.user.create({ data: user('ada@example.com') })), duplicate);
  t.strictSame(
    await kindOf(client.$executeRaw`INSERT INTO users (name, email, email_key, role)
    SELECT name, email, email_key, role FROM users`),
    duplicate,
    'in raw SQL as well',
  );
  t.strictSame(await kindOf(client.user.update({ where: { id: 2 ** 31 - 1 }, data: { name: 'x' } })), {
    kind: 'not-found',
  });
  t.strictSame(await kindOf(client.user.findUniqueOrThrow({ where: { id: 2 ** 31 - 1 } })), { kind: 'not-found' });
  t.strictSame(await kindOf(client.post.create({ data: { authorId: 2 ** 31 - 1, title: 'x' } })), {
    kind: 'reference',
  });

  await client.$executeRawUnsafe(`CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = NEW.name; END $$`);
  const expected = {
    '53100': 'storage-full',
    '57014': 'timeout',
    '55P03': 'timeout',
    '40001': 'serialization',
    '40P01': 'serialization',
    '53300': 'unavailable',
    '57P01': 'unavailable',
    '08006': 'unavailable',
    '25006': 'unavailable',
    '22012': 'unknown',
  };
  const rename = (name: string) => client.user.update({ where: { id }, data: { name } });
  await client.$executeRawUnsafe('CREATE TRIGGER early BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION raise()');
  for (const [name, kind] of Object.entries(expected)) t.strictSame(await kindOf(rename(name)), { kind }, name);
  await client.$executeRawUnsafe('DROP TRIGGER early ON users');
  await client.$executeRawUnsafe(`CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION raise()`);
  for (const [name, kind] of Object.entries(expected)) {
    const work = client.$transaction((db) => db.user.update({ where: { id }, data: { name } }));
    t.strictSame(await kindOf(work), { kind }, `${name} at COMMIT`);
  }
  await client.$executeRawUnsafe('DROP TRIGGER late ON users');
  t.equal((await client.user.findUniqueOrThrow({ where: { id } })).name, 'Ada', 'nothing of it was written');

  const slow = client.$transaction((db) => eventually('an end', () => db.user.count().then(() => undefined)), {
    timeout: 30,
  });
  t.strictSame(await kindOf(slow), { kind: 'timeout' });
}

t.test('faults of the embedded database are told apart', async (t) => {
  for (const other of [undefined, null, 'text', new Error('text'), Object.assign(new Error('x'), { code: 'ENOENT' })]) {
    t.strictSame(faultOf(other), { kind: 'unknown' });
  }
  const database = await openDatabase('pglite://memory', { snapshot });
  await faults(t, database);
  await database.close();
});

t.test('a PostgreSQL server that is away is named without its password', async (t) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const error = await openDatabase(`postgres://user:secret@${host}:1/name`).catch((thrown: Error) => thrown);
    t.match(error, { message: new RegExp(`^PostgreSQL at ${host}:1/name: `) });
    t.notMatch(error, { message: /secret/ });
    t.equal(faultOf(error).kind, 'unavailable');
  }
});

t.test(
  'instances on a PostgreSQL server migrate it once, keep its times, and replace lost connections',
  { skip: skipWithoutPostgresql },
  async (t) => {
    const administrator = await openPostgres(POSTGRESQL.href, {
      name: 'accord',
      poolSize: 1,
      limits: TEST_TIMEOUTS_MS,
    });
    const run = (sql: string) => administrator.withMigrationSession((session) => session.query(sql));
    const name = `accord_database_test_${randomUUID().replaceAll('-', '')}`;
    await run(`CREATE DATABASE ${name}`);
    t.teardown(() => run(`DROP DATABASE ${name} WITH (FORCE)`));
    await run(`ALTER DATABASE ${name} SET TimeZone = 'Asia/Tokyo'`);
    const address = new URL(POSTGRESQL);
    address.pathname = name;

    const [one, two] = await Promise.all([openDatabase(address.href), openDatabase(address.href, { poolSize: 1 })]);
    t.equal(one.kind, 'postgresql');
    t.equal(one.label, `PostgreSQL at ${address.host}/${name}`);
    t.equal(
      one.migrated.length + two.migrated.length,
      (await recorded(one)).length,
      'two at once: one of them migrates',
    );
    t.equal((await openAndClose(address.href)).length, 0, 'the next one finds nothing to do');

    const now = Date.now();
    const [row] = await one.client.$queryRaw<{ at: Date }[]>`INSERT INTO users (name, email, email_key, role)
    VALUES ('Eve', 'e', 'e', 'VIEWER') RETURNING created_at AS at`;
    t.ok(Math.abs((row?.at.getTime() ?? 0) - now) < 60_000, "the server's time zone does not shift a timestamp");

    await faults(t, one);
    for (let times = 0; times < 3; times++) await two.client.post.count();
    await recordingsOf(two.client);
    for (let times = 0; times < 3; times++) await two.client.post.count();
    const prepared = await two.client.$queryRaw<object[]>`
    SELECT name FROM pg_prepared_statements WHERE name LIKE 'prepared%' AND statement LIKE '%posts%'`;
    t.equal(prepared.length, 1, 'a repeated statement is prepared once');

    let waited: unknown;
    await two.client.$transaction(
      async () => {
        waited = await two.client.user.count().catch((error: unknown) => error);
      },
      { timeout: TEST_TIMEOUTS_MS.transaction },
    );
    t.equal(faultOf(waited).kind, 'unavailable', 'the wait for a connection, of which there is one, has an end');

    const rows = await one.client.$queryRaw<object[]>`SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    t.ok(rows.length > 0);
    const count = () => two.client.user.count().catch(() => undefined);
    t.ok(Number.isInteger(await eventually('another connection', count)), 'one that is cut while idle is replaced');
    await Promise.all([one.close(), two.close()]);
    t.equal(faultOf(await one.client.user.count().catch((error: unknown) => error)).kind, 'unavailable');
  },
);

t.test('a write after an outage is followed by a beat', { skip: skipWithoutPostgresql }, async (t) => {
  const url = new URL(await blankDatabase(t));
  const observer = new Client({ connectionString: url.href });
  await observer.connect();
  t.teardown(() => observer.end());
  const proxy = await tcpProxy(t, { host: url.hostname, port: Number(url.port || 5432) });
  url.port = String(proxy.port);
  const { client, generation, close } = await openDatabase(url.href);
  t.teardown(close);
  const counter = async () => Number((await observer.query('SELECT counter FROM database_state')).rows[0]?.counter);
  const write = (key: string) =>
    client.$executeRaw`INSERT INTO throttles (key, count, resets_at) VALUES (${key}, 1, now())`;
  let before = 0;
  let writes = 0;
  await eventually('no beat', async () => {
    before = await counter();
    // The first beat of a slow start finds no table, and the next one belongs to a write.
    if (!(before > 0)) await write(`${++writes}`);
    await delay(1500);
    return before > 0 && before === (await counter());
  });
  proxy.set('refused');
  // As the listener does after it has connected: the first one loses a connection, and the second one gets none.
  for (let times = 0; times < 2; times++) await t.rejects(generation.read());
  proxy.set('sound');
  await write('after');
  await eventually('a beat', async () => (await counter()) > before);
});

async function openAndClose(url: string): Promise<string[]> {
  const database = await openDatabase(url);
  await database.close();
  return database.migrated;
}
