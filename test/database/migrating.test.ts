import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { rootPath } from '../../src/platform/root.js';
import { accord } from '../support/accord.js';
import { blankDatabase, TEST_TIMEOUTS_MS } from '../support/databases.js';
import { basic, eventually, refusedServer, startServer, temporaryFolder, withoutDelays } from '../support/process.js';
import { skipWithoutPostgresql } from '../support/servers.js';
import { uncommitted } from '../support/uncommitted.js';

const { email, password } = demo.people[0];
const options = { skip: skipWithoutPostgresql };

/** Returns a folder with the migrations of a newer version, which has one more. */
function newerVersion(t: Test, script: string): string {
  const migrations = join(temporaryFolder(t), 'migrations');
  cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
  mkdirSync(join(migrations, '9_newer'));
  writeFileSync(join(migrations, '9_newer', 'migration.sql'), script);
  return migrations;
}

async function opened(t: Test, url: string): Promise<Database> {
  const database = await openDatabase(url, { limits: TEST_TIMEOUTS_MS });
  t.teardown(database.close);
  return database;
}

/** Reads a table, as pg_dump does, until `commit`. */
const backup = ({ client }: Database, table: string) =>
  uncommitted(client, (db) => db.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS SHARE MODE`));

/** Opens the database with newer migrations, which waits for the backup. */
function upgrade(t: Test, url: string, migrations: string) {
  const errors = t.capture(console, 'warn', () => {});
  const printed: string[] = [];
  const result = openDatabase(url, { migrations }).then(async ({ migrated, close }) => {
    await close();
    return migrated;
  });
  const attempts = async ({ client }: Database) => {
    printed.push(...errors().map(({ args }) => String(args[0])));
    const [row] = await client.$queryRaw<{ waits: boolean }[]>`SELECT EXISTS (SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%') AS waits`;
    return row?.waits ?? false;
  };
  return { result, printed, isWaiting: attempts };
}

t.test('a migration that waits for a backup fails no request', options, async (t) => {
  const url = await blankDatabase(t);
  const server = await startServer(t, { DATABASE_URL: url, RATE_LIMIT: '1000000' });
  const database = await opened(t, url);
  const { commit, over } = await backup(database, 'users');
  const { result, printed, isWaiting } = upgrade(t, url, newerVersion(t, 'ALTER TABLE users ADD COLUMN nickname TEXT'));

  const statuses = new Set<number>();
  for (const what of ['a first attempt', 'a pause', 'a second attempt', 'a second pause']) {
    const isAttempt = !what.includes('pause');
    await eventually(what, async () => {
      // At the same time, because a request during an attempt waits until the attempt is over.
      const request = fetch(`${server.url}/api/v1/users/1`, { headers: basic(email, password) });
      const [{ status }, isNow] = await Promise.all([request, isWaiting(database)]);
      statuses.add(status);
      return isNow === isAttempt;
    });
  }
  t.same([...statuses], [200]);
  t.match(printed[0], /^Migration 9_newer: another transaction, .* uses a table\. Trying again for up to 60 s\.$/);
  t.equal(new Set(printed).size, 1, 'reported once');
  commit();
  await over;
  t.same(await result, ['9_newer']);
});

t.test('a migration that has committed a part is not repeated', options, async (t) => {
  const url = await blankDatabase(t);
  const database = await opened(t, url);
  const { commit, over } = await backup(database, 'users');
  const script = 'CREATE TABLE part (id INT);\nCOMMIT;\nALTER TABLE users ADD COLUMN nickname TEXT;\n';
  const migrations = newerVersion(t, script);
  await t.rejects(openDatabase(url, { migrations }), { message: /Migration 9_newer failed: .*lock timeout/ });
  commit();
  await over;
  await t.rejects(openDatabase(url, { migrations }), {
    message: /Migration 9_newer has not finished in this database/,
  });
});

t.test('instances that start together create an index concurrently', options, async (t) => {
  const url = await blankDatabase(t);
  const database = await opened(t, url);
  // CREATE INDEX CONCURRENTLY waits for all transactions that use the table.
  const writing = await uncommitted(database.client, (db) => db.$executeRaw`LOCK TABLE users IN ROW EXCLUSIVE MODE`);
  const migrations = newerVersion(t, 'CREATE INDEX CONCURRENTLY by_name ON users (name);\n');
  const both = Promise.all([1, 2].map(() => openDatabase(url, { migrations })));
  const sessions = () => database.client.$queryRaw<{ query: string }[]>`SELECT query FROM pg_stat_activity
    WHERE application_name = 'accord start' AND datname = current_database()`;
  await eventually('two migrations', async () => {
    const queries = (await sessions()).map(({ query }) => query);
    return (
      queries.some((query) => query.includes('CONCURRENTLY')) &&
      queries.some((query) => query.includes('advisory_lock'))
    );
  });
  // Longer than `deadlock_timeout`.
  await database.client.$executeRaw`SELECT pg_sleep(1.2)`;
  writing.commit();
  await writing.over;
  const databases = await both;
  t.same(
    databases.flatMap(({ migrated }) => migrated),
    ['9_newer'],
  );
  t.match(await database.client.$queryRaw`SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_name'::regclass`, [
    { indisvalid: true },
  ]);
  await Promise.all(databases.map(({ close }) => close()));
});

t.test('a migration that left an invalid index is not recorded', options, async (t) => {
  const url = await blankDatabase(t);
  const database = await opened(t, url);
  const script = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS by_name ON users (name);\n';
  const rejected = t.rejects(openDatabase(url, { migrations: newerVersion(t, script) }), {
    message: /Migration 9_newer failed: .*deadlock detected/,
  });
  await database.client.$transaction(
    async (db) => {
      await db.$executeRaw`SET LOCAL deadlock_timeout = '1min'`;
      await db.$executeRaw`LOCK TABLE users IN ROW EXCLUSIVE MODE`;
      await eventually('the migration waits', async () => {
        const [row] = await database.client.$queryRaw<{ waits: boolean }[]>`SELECT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX%') AS waits`;
        return row?.waits ?? false;
      });
      await db.$executeRaw`LOCK TABLE users IN SHARE UPDATE EXCLUSIVE MODE`;
    },
    { timeout: TEST_TIMEOUTS_MS.transaction },
  );
  await rejected;
  t.same(await database.client.$queryRaw`SELECT 1 FROM _prisma_migrations WHERE migration_name = '9_newer'`, []);
});

t.test('with MIGRATE_ON_START=off `accord migrate` applies the migrations', options, async (t) => {
  const DATABASE_URL = await blankDatabase(t);
  const environment = { DATABASE_URL, MIGRATE_ON_START: 'off' };
  const refused = await refusedServer(t, environment);
  t.equal(refused.code, 1);
  t.match(
    withoutDelays(refused.stderr),
    /^accord cannot start\.\nPostgreSQL at .*: The database lacks migrations of this version: 0_init, .*\. Run `accord migrate` of this version, or start with MIGRATE_ON_START=on\.\n$/,
  );
  // A job that migrates has no secrets.
  const job = { DATABASE_URL, NODE_ENV: 'production' };
  t.match(await accord(t, ['migrate'], job), { code: 0, stdout: /^PostgreSQL at .*: Applied 0_init, .*\.\n$/ });
  t.match(await accord(t, ['migrate'], job), { code: 0, stdout: /: All migrations are applied\.\n$/ });
  await startServer(t, environment);
});

t.test('a start on the database of a newer version logs what to do', options, async (t) => {
  const DATABASE_URL = await blankDatabase(t);
  const migrations = newerVersion(t, 'ALTER TABLE users ADD COLUMN nickname TEXT');
  await (await openDatabase(DATABASE_URL, { migrations })).close();
  for (const MIGRATE_ON_START of ['on', 'off']) {
    const server = await startServer(t, { DATABASE_URL, MIGRATE_ON_START });
    t.match(server.stdout(), /"migrations":\["9_newer"\],"msg":"a newer version has migrated the database; .*install/);
  }
});
