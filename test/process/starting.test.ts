import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { openDatabase } from '../../src/database/open.js';
import { onEachDatabase } from '../support/databases.js';
import { eventually, refusedServer, run, START, startServer, temporaryFolder } from '../support/process.js';
import { POSTGRESQL, skipWithoutPostgresql } from '../support/servers.js';
import { tcpProxy } from '../support/tcp-proxy.js';

const STACK = /^ +at /m;

/** Ways in which a directory is damaged that holds a database, and what the start says of it. */
const DAMAGES: [name: string, damage: (directory: string) => void, says: RegExp][] = [
  [
    'was emptied',
    (directory) => {
      rmSync(join(directory, 'postgres'), { recursive: true });
      mkdirSync(join(directory, 'postgres'));
    },
    /is damaged: its files in postgres\/ are gone\. Put a copy of the directory back, or move it away/,
  ],
  [
    'lost its files',
    (directory) => rmSync(join(directory, 'postgres'), { recursive: true }),
    /is damaged: its files in postgres\/ are gone\./,
  ],
  [
    'has a torn control file',
    (directory) => truncateSync(join(directory, 'postgres', 'global', 'pg_control'), 10),
    /is damaged: PostgreSQL cannot read its files in postgres\/\./,
  ],
  [
    'has lost its log',
    (directory) => {
      const log = join(directory, 'postgres', 'pg_wal');
      for (const name of readdirSync(log))
        if (name.startsWith('0')) writeFileSync(join(log, name), Buffer.alloc(1 << 20));
    },
    /is damaged: PostgreSQL cannot read its files in postgres\/\./,
  ],
];

t.test('a damaged directory is told in a sentence, and nothing is begun anew in it', async (t) => {
  const sound = join(temporaryFolder(t), 'sound');
  const database = await openDatabase(`pglite://${sound}`);
  await database.close();
  for (const [name, damage, says] of DAMAGES) {
    const directory = join(temporaryFolder(t), 'data');
    cpSync(sound, directory, { recursive: true });
    damage(directory);
    const { code, stdout, stderr } = await refusedServer(t, { DATABASE_URL: `pglite://${directory}` });
    t.equal(code, 1, name);
    t.match(stderr, /^accord cannot start\.\nembedded PostgreSQL in .*data: The database is damaged/);
    t.match(stderr, says);
    t.notMatch(stdout + stderr, STACK);
    t.equal(
      existsSync(join(directory, 'postgres', 'PG_VERSION')),
      !says.source.includes('are gone'),
      'nothing was made',
    );
  }
});

t.test('a directory that the system refuses is told in a sentence', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  const { code, stderr } = await refusedServer(t, { DATABASE_URL: `pglite://${join(folder, 'file', 'data')}` });
  t.equal(code, 1);
  t.match(stderr, /The directory cannot be used: there is a file of that name\. Mend that, or set DATABASE_URL/);
  t.notMatch(stderr, STACK);
});

t.test('the port is tried before a database is looked for', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => other.close());
  await once(other, 'listening');
  const PORT = String((other.address() as AddressInfo).port);
  const { code, stderr } = await refusedServer(t, { PORT, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  t.equal(code, 1);
  t.match(stderr, 'PORT: something listens on ');
  t.notMatch(stderr, 'database');
});

t.test('a database that does not exist is told at once', { skip: skipWithoutPostgresql }, async (t) => {
  const DATABASE_URL = Object.assign(new URL(POSTGRESQL), { pathname: `/none_${randomUUID()}` }).href;
  const { code, stderr } = await refusedServer(t, { DATABASE_URL });
  t.equal(code, 1);
  t.match(stderr, /^accord cannot start\.\nPostgreSQL at .* does not exist/);
  t.notMatch(stderr, STACK);
});

onEachDatabase(t, async (t, open) => {
  t.test('a start waits for its database, and says so', async (t) => {
    const { url } = await open();
    if (url === undefined) return t.comment('the embedded database is there');
    const address = new URL(url);
    const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) });
    line.set('refused');
    Object.assign(address, { hostname: '127.0.0.1', port: String(line.port) });
    const server = run(t, START, { PORT: '0', DATABASE_URL: address.href });
    await eventually(
      'a word on it',
      () => server.stderr().includes('Waiting up to 30 s for the database.') || undefined,
    );
    line.set('sound');
    await eventually('the service', () => server.stdout().includes('Accord is ready.') || undefined);
  });

  t.test('instances that start at once on an empty database agree on the first data', async (t) => {
    const { url, client } = await open();
    if (url === undefined) return t.comment('an embedded database belongs to one process');
    await Promise.all(Array.from({ length: 4 }, () => startServer(t, { DATABASE_URL: url })));
    t.same([await client.user.count(), await client.signingKey.count()], [3, 1], 'one demo, one key');
  });
});
