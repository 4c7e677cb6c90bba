import { Client } from 'pg';
import t, { type Test } from 'tap';
import { blankDatabase } from '../../support/databases.js';
import { demoDirectory } from '../../support/demo.js';
import { NODE, run, startServer, withoutDelays } from '../../support/process.js';
import { skipWithoutPostgresql } from '../../support/servers.js';

const CHECK = [...NODE, 'src/platform/server/cli/bin.js', 'check'] as const;
const check = (t: Test, environment: Record<string, string>) => run(t, CHECK, environment).ended;

t.test('accord check says that a service can start, without serving', async (t) => {
  const directory = { DATABASE_URL: await demoDirectory(t) };
  const { code, stdout, stderr } = await check(t, directory);
  t.match([code, withoutDelays(stderr)], [0, '']);
  t.match(
    stdout,
    /^Configuration, contracts and keys are in order\. embedded PostgreSQL in \S+ has all migrations\.\n$/,
  );
  t.match(await check(t, { ...directory, RATE_LIMIT: 'many' }), { code: 1, stderr: /cannot start\.\nRATE_LIMIT: / });
  await startServer(t, directory);
  t.match(await check(t, directory), { code: 1, stderr: /is in use/ }, 'the embedded database belongs to one process');
});

t.test('accord check changes nothing in a database', { skip: skipWithoutPostgresql }, async (t) => {
  const DATABASE_URL = await blankDatabase(t);
  const tables = async () => {
    const client = new Client({ connectionString: DATABASE_URL });
    await client.connect();
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'`);
    await client.end();
    return rows[0].count;
  };
  t.match(await check(t, { DATABASE_URL }), { code: 1, stderr: /lacks migrations of this version: 0_init/ });
  t.equal(await tables(), 0, 'no table');
  const server = await startServer(t, { DATABASE_URL, KEY_SECRET: 'one secret of thirty-two characters' });
  const { port } = new URL(server.url);
  const beside = await check(t, { DATABASE_URL, PORT: port, KEY_SECRET: 'one secret of thirty-two characters' });
  t.match([beside.code, withoutDelays(beside.stderr)], [0, ''], 'beside a running service, on its port');
  const wrong = await check(t, { DATABASE_URL, KEY_SECRET: 'another one of thirty-two characters' });
  t.match(wrong, { code: 1, stderr: /KEY_SECRET/ });
  t.equal((await fetch(`${server.url}/livez`)).status, 200);
});
