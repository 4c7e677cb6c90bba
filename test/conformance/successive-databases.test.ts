import t from 'tap';
import type { Database } from '../../src/platform/database/open.js';
import { successiveDatabases } from '../../src/testing/service.js';
import { memoryDatabase } from '../support/databases.js';

const person = (name: string) => ({ name, email: name, emailKey: name, role: 'ADMIN' });
/** Identifies an engine. Emptying a database does not change it. */
const mark = ({ client }: Database) => client.$executeRawUnsafe("SET accord.mark = 'seen'");
const marked = async ({ client }: Database) =>
  (await client.$queryRawUnsafe<[{ mark: string | null }]>("SELECT current_setting('accord.mark', true) AS mark"))[0]
    .mark;

t.test('each database is empty and counts from 1, on one engine', async (t) => {
  const databases = successiveDatabases(() => memoryDatabase(t));
  const first = await databases.open();
  await mark(first);
  const migrations = await first.client.$queryRawUnsafe('SELECT migration_name FROM _prisma_migrations');
  t.equal((await first.client.user.create({ data: person('ada') })).id, 1);
  // A service cannot delete audit events.
  await first.client.auditEvent.create({ data: { event: 'login' } });
  await first.close();

  const second = await databases.open();
  t.equal(await marked(second), 'seen');
  t.same(await second.client.$queryRawUnsafe('SELECT migration_name FROM _prisma_migrations'), migrations);
  t.equal(await second.client.user.count(), 0);
  t.equal(await second.client.auditEvent.count(), 0);
  t.equal((await second.client.user.create({ data: person('ada') })).id, 1);
  await second.close();
  await databases.close();
  await t.rejects(second.client.user.count());
});

t.test('with a migration that inserts rows, each database has its own engine and the rows', async (t) => {
  const databases = successiveDatabases(async () => {
    const database = await memoryDatabase(t);
    await database.client.user.create({ data: person('grace') });
    return database;
  });
  const first = await databases.open();
  await mark(first);
  await first.client.user.deleteMany();
  const second = await databases.open();
  t.not(await marked(second), 'seen');
  t.equal(await second.client.user.count(), 1);
  await databases.close();
});
