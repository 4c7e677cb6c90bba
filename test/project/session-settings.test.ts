import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import t from 'tap';
import { openDatabase } from '../../src/platform/database/open.js';
import { administer, blankDatabase } from '../support/databases.js';
import { skipWithoutPostgresql } from '../support/servers.js';

/** Settings of a database that would shift times, garble texts and hide the tables. */
const UNFIT = {
  TimeZone: 'Asia/Tokyo',
  DateStyle: 'German, DMY',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '0',
  default_transaction_isolation: 'serializable',
  search_path: 'pg_catalog',
  statement_timeout: '1h',
};

t.test(
  'every kind of connection has the settings that the service rests on',
  { skip: skipWithoutPostgresql },
  async (t) => {
    const url = await blankDatabase(t);
    const name = new URL(url).pathname.slice(1);
    for (const [setting, value] of Object.entries(UNFIT)) {
      await administer(`ALTER DATABASE ${name} SET ${setting} = ${setting === 'search_path' ? value : `'${value}'`}`);
    }
    const { client, exclusively, close } = await openDatabase(url);
    t.teardown(close);
    const email = 'zoë\\@example.com';
    const created = await client.user.create({ data: { name: 'Zoë', email, emailKey: email, role: 'VIEWER' } });
    t.ok(Math.abs(created.createdAt.getTime() - Date.now()) < 60_000, 'a time is not shifted');
    // The first call is recorded, and later ones run on the shared connections.
    for (let times = 0; times < 5; times++) t.same(await client.user.findFirst({ where: { email } }), created);
    const read = async () =>
      (
        await client.$queryRaw<{ settings: string[] }[]>`SELECT ARRAY[
        current_setting('TimeZone'), current_setting('client_encoding'), current_setting('default_transaction_isolation'),
        current_schema(), current_setting('statement_timeout')] AS settings FROM users`
      )[0]?.settings;
    t.same(await read(), ['UTC', 'UTF8', 'read committed', 'public', '4050ms']);
    await exclusively(async () => {});
  },
);

t.test('an empty search path of the role does not prevent the start', { skip: skipWithoutPostgresql }, async (t) => {
  const url = new URL(await blankDatabase(t));
  url.searchParams.set('options', '-c search_path=');
  const { client, close } = await openDatabase(url.href);
  t.teardown(close);
  t.equal(await client.user.count(), 0);
});

t.test('a role that may not identify the server serves, and is ready', { skip: skipWithoutPostgresql }, async (t) => {
  const role = `limited_${randomUUID().replaceAll('-', '')}`;
  t.teardown(() => administer(`DROP ROLE IF EXISTS ${role}`));
  const url = new URL(await blankDatabase(t));
  await administer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  await administer(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${role}`);
  const owner = new Client({ connectionString: url.href });
  await owner.connect();
  await owner.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  await owner.end();
  const { client, failing, close } = await openDatabase(Object.assign(url, { username: role, password: role }).href);
  t.teardown(close);
  for (let times = 0; times < 5; times++) t.equal(await client.user.count(), 0);
  t.equal(await failing(), undefined);
});
