import t from 'tap';
import { openDatabase } from '../../src/platform/database/open.js';
import { administer, onEachDatabase, TEST_TIMEOUTS_MS } from '../support/databases.js';
import { codeOf, startInstance, startService } from '../support/service.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const { rest, admin, viewer } = await startService(t, database);
  const path = `/api/v1/users/${viewer.id}`;
  const ready = async () => {
    const { status, body } = await rest('GET', '/readyz');
    return [status, body.checks.database];
  };
  const execute = (sql: string) => client.$executeRawUnsafe(sql);

  const damages = {
    'a missing table': ['ALTER TABLE users RENAME TO people', 'ALTER TABLE people RENAME TO users'],
    'a missing column': ['ALTER TABLE users RENAME name TO called', 'ALTER TABLE users RENAME called TO name'],
  } as const;
  for (const [name, [damage, repair]] of Object.entries(damages)) {
    t.test(`a service whose statements fail for ${name} is not ready until it is repaired`, async (t) => {
      t.equal((await rest('GET', path, { as: admin })).status, 200);
      t.same(await ready(), [200, 'ok']);
      await execute(damage);
      t.equal((await rest('GET', path, { as: admin })).status, 500);
      t.same(await ready(), [503, 'failed']);
      t.same(await ready(), [503, 'failed'], 'also without further requests');
      await execute(repair);
      t.same(await ready(), [200, 'ok']);
      t.equal((await rest('GET', path, { as: admin })).status, 200);
    });
  }

  t.test('a statement of one operation that is wrong does not make the service unready', async (t) => {
    await t.rejects(client.$queryRaw`SELECT * FROM nothing`);
    t.same(await ready(), [200, 'ok']);
  });

  t.test('a service without a permission is not ready until it has it', async (t) => {
    if (database.url === undefined) return void t.comment('the embedded database has one role');
    const role = new URL(database.url).pathname.slice(1);
    await administer(`CREATE ROLE ${role}`);
    t.teardown(async () => {
      await execute(`DROP OWNED BY ${role}`);
      await administer(`DROP ROLE ${role}`);
    });
    await execute(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
    await execute(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    const limited = await openDatabase(`${database.url}?options=-c%20role%3D${role}`, { limits: TEST_TIMEOUTS_MS });
    t.teardown(limited.close);
    const instance = await startInstance(t, limited);
    const rename = () => instance.rest('PATCH', path, { as: admin, body: { name: 'Renamed' } });
    t.equal((await rename()).status, 200);
    await execute(`REVOKE UPDATE ON users FROM ${role}`);
    t.equal((await rename()).status, 500);
    t.equal((await instance.rest('GET', path, { as: admin })).status, 200, 'reads succeed');
    t.equal((await instance.rest('GET', '/readyz')).status, 503);
    await execute(`GRANT UPDATE ON users TO ${role}`);
    t.equal((await instance.rest('GET', '/readyz')).status, 200);
    t.equal((await rename()).status, 200);
  });
});

onEachDatabase(t, async (t, open) => {
  const { rest, viewer, database } = await startService(t, await open());

  t.test('without its database the service is alive and answers 503', async (t) => {
    await database.client.$disconnect();
    await database.close();
    const answer = await rest('GET', '/api/v1/users', { as: viewer });
    t.same(codeOf(answer), [503, 'UNAVAILABLE']);
    t.match(answer.headers.get('retry-after'), /^\d+$/);
    t.equal((await rest('GET', '/readyz')).status, 503);
    t.equal((await rest('GET', '/livez')).status, 200);
  });
});
