import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { demo } from '../../../src/application/seed.js';
import { onEachDatabase } from '../../support/databases.js';
import { emptyDirectory } from '../../support/demo.js';
import {
  ask,
  basic,
  eventually,
  refusedServer,
  run,
  START,
  startServer,
  temporaryFolder,
  withoutDelays,
} from '../../support/process.js';
import { freePort, POSTGRESQL, skipWithoutPostgresql } from '../../support/servers.js';
import { tcpProxy } from '../../support/tcp-proxy.js';
import { uncommitted } from '../../support/uncommitted.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

const STACK = /^ +at /m;

/** Kinds of damage to a directory with a database, and the message of the start. */
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

t.test('a start reports a damaged directory in a sentence, and does not change it', async (t) => {
  const { pathname: sound } = new URL(await emptyDirectory(t));
  for (const [name, damage, says] of DAMAGES) {
    const directory = join(temporaryFolder(t), 'data');
    cpSync(sound, directory, { recursive: true });
    damage(directory);
    const { code, stdout, stderr } = await refusedServer(t, { DATABASE_URL: `pglite://${directory}` });
    t.equal(code, 1, name);
    t.match(withoutDelays(stderr), /^accord cannot start\.\nembedded PostgreSQL in .*data: The database is damaged/);
    t.match(stderr, says);
    t.notMatch(stdout + stderr, STACK);
    t.equal(
      existsSync(join(directory, 'postgres', 'PG_VERSION')),
      !says.source.includes('are gone'),
      'nothing was made',
    );
  }
});

t.test('a start reports a directory that the system refuses in a sentence', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  for (const path of ['file', 'file/data']) {
    const { code, stderr } = await refusedServer(t, { DATABASE_URL: `pglite://${join(folder, path)}` });
    t.equal(code, 1);
    t.match(stderr, /The directory cannot be used: there is a file of that name\. Solve this, or set DATABASE_URL/);
    t.notMatch(stderr, STACK);
  }
});

const isRoot = process.getuid?.() === 0;

t.test(
  'a start does not report unreadable files as damage',
  { skip: isRoot && 'root may read anything' },
  async (t) => {
    const DATABASE_URL = await emptyDirectory(t);
    const files = join(new URL(DATABASE_URL).pathname, 'postgres');
    t.teardown(() => chmodSync(files, 0o700));
    for (const mode of [0o000, 0o500]) {
      chmodSync(files, mode);
      const { code, stderr } = await refusedServer(t, { DATABASE_URL });
      t.equal(code, 1);
      t.match(stderr, /The directory cannot be used: this user may not read and write there\. Solve this/);
    }
  },
);

/** Mounts a disk of some MiB for the test. Undefined without permission. */
function smallDisk(t: Test, size: number): string | undefined {
  const folder = temporaryFolder(t);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'tmpfs', folder]);
  if (status !== 0) return undefined;
  t.teardown(() => spawnSync('umount', [folder]));
  return folder;
}

t.test('a full disk rejects only writes', async (t) => {
  const disk = smallDisk(t, 120);
  if (disk === undefined) return t.comment('this user may not mount a file system');
  const server = await startServer(t, { DATABASE_URL: `pglite://${join(disk, 'data')}` });
  const headers = { ...basic(DEMO_ADMIN, DEMO_PASSWORD), 'content-type': 'application/json' };
  const users = `${server.url}/api/v1/users`;
  const write = async () => {
    const email = `${randomUUID()}@example.com`;
    const body = JSON.stringify({ name: 'New', email, role: 'viewer', password: randomUUID() });
    return (await ask(users, { method: 'POST', headers, body })).status;
  };
  t.equal(await write(), 201);
  // Leaves less than the next WAL segment needs, where PostgreSQL would panic.
  const { bavail, bsize } = statfsSync(disk);
  const filling = join(disk, 'filling');
  writeFileSync(filling, Buffer.alloc(bavail * bsize - (12 << 20)));
  t.equal(await write(), 507);
  t.equal((await ask(users, { headers })).status, 200, 'reads are served');
  t.equal((await ask(`${server.url}/readyz`)).status, 200);
  rmSync(filling);
  t.equal(await write(), 201, 'as soon as there is room');
});

t.test('a start reports a disk that is too small in a sentence', async (t) => {
  const disk = smallDisk(t, 50);
  if (disk === undefined) return t.comment('this user may not mount a file system');
  const { code, stderr } = await refusedServer(t, { DATABASE_URL: `pglite://${join(disk, 'data')}` });
  t.equal(code, 1);
  t.match(stderr, /The disk of .* is full: less than 32 MiB are left\.\n$/);
});

t.test('a start checks the port before the database', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => other.close());
  await once(other, 'listening');
  const PORT = String((other.address() as AddressInfo).port);
  const { code, stderr } = await refusedServer(t, { PORT, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  t.equal(code, 1);
  t.match(stderr, 'PORT: another process listens on ');
  t.notMatch(stderr, 'database');
});

t.test('a start accepts no connection before it is ready', { skip: skipWithoutPostgresql }, async (t) => {
  const PORT = await freePort();
  const DATABASE_URL = Object.assign(new URL(POSTGRESQL), { pathname: `/none_${randomUUID()}` }).href;
  let over = false;
  // The chance to connect in the moment of a check is small.
  const starts = async () => {
    for (let i = 0; i < 5; i++) await refusedServer(t, { PORT: String(PORT), DATABASE_URL });
    over = true;
  };
  const outcomes = new Set<string>();
  // From another address, because a connection from a free port to itself succeeds.
  const attempt = async () => {
    const socket = connect({ port: PORT, host: '127.0.0.1', localAddress: '127.0.0.2' });
    const outcome = once(socket, 'connect').then(
      () => 'connected',
      ({ code }: NodeJS.ErrnoException) => String(code),
    );
    outcomes.add(await outcome);
    socket.destroy();
  };
  const client = async () => {
    while (!over) await attempt();
  };
  await Promise.all([starts(), ...Array.from({ length: 16 }, client)]);
  t.same([...outcomes], ['ECONNREFUSED']);
});

t.test('a start reports a missing database at once', { skip: skipWithoutPostgresql }, async (t) => {
  const DATABASE_URL = Object.assign(new URL(POSTGRESQL), { pathname: `/none_${randomUUID()}` }).href;
  const { code, stderr } = await refusedServer(t, { DATABASE_URL });
  t.equal(code, 1);
  t.match(withoutDelays(stderr), /^accord cannot start\.\nPostgreSQL at .* does not exist/);
  t.notMatch(stderr, STACK);
});

onEachDatabase(t, async (t, open) => {
  t.test('a start waits for its database and reports it', async (t) => {
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

  t.test('instances that start together on an empty database create the first data once', async (t) => {
    const { url, client } = await open();
    if (url === undefined) return t.comment('an embedded database belongs to one process');
    await Promise.all(Array.from({ length: 4 }, () => startServer(t, { DATABASE_URL: url })));
    t.same([await client.user.count(), await client.signingKey.count()], [3, 1], 'one demo, one key');
  });

  t.test('a start waits for locked tables', async (t) => {
    const { url, client } = await open();
    if (url === undefined) return t.comment('an embedded database belongs to one process');
    await startServer(t, { DATABASE_URL: url });
    for (const table of ['users', 'signing_keys', 'revocations']) {
      const lock = await uncommitted(client, (db) =>
        db.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`),
      );
      const server = run(t, START, { PORT: '0', DATABASE_URL: url });
      await eventually('a word on it', () => server.stderr().includes('a table that is locked') || undefined);
      lock.commit();
      await lock.over;
      await eventually('the service', () => server.stdout().includes('Accord is ready.') || undefined);
      t.match(withoutDelays(server.stderr()), /^Waiting up to 30 s for the database\. .* a table that is locked\)\n$/);
    }
  });

  t.test('an instance without migrations does not wait for one that migrates', async (t) => {
    const { url, client } = await open();
    if (url === undefined) return t.comment('an embedded database belongs to one process');
    await startServer(t, { DATABASE_URL: url });
    const migrating = await uncommitted(client, (db) => db.$executeRaw`SELECT pg_advisory_xact_lock(72707369)`);
    await startServer(t, { DATABASE_URL: url });
    migrating.commit();
    await migrating.over;
  });

  t.test('a start waits for migrations of another process', async (t) => {
    const { url, client } = await open();
    if (url === undefined) return t.comment('an embedded database belongs to one process');
    const migrating = await uncommitted(client, (db) => db.$executeRaw`SELECT pg_advisory_xact_lock(72707369)`);
    await client.$executeRaw`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '0_init'`;
    const server = startServer(t, { DATABASE_URL: url });
    await eventually('a start that waits', async () => {
      const waiting = await client.$queryRaw<object[]>`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock(72707369)%'`;
      return waiting.length > 0;
    });
    await client.$executeRaw`UPDATE _prisma_migrations SET finished_at = now()`;
    migrating.commit();
    await migrating.over;
    await server;
  });

  t.test('a start reports a schema of a newer version in a sentence', async (t) => {
    const { url, client } = await open();
    if (url === undefined) return t.comment('an embedded database belongs to one process');
    await client.$executeRaw`DROP TABLE signing_keys`;
    const lock = await uncommitted(client, (db) => db.$executeRaw`LOCK TABLE fleet_settings IN ACCESS EXCLUSIVE MODE`);
    const refused = refusedServer(t, { DATABASE_URL: url });
    await eventually('a start that waits for another table', async () => {
      const waiting = await client.$queryRaw<object[]>`SELECT FROM pg_locks
        WHERE NOT granted AND relation = 'fleet_settings'::regclass`;
      return waiting.length > 0;
    });
    lock.commit();
    await lock.over;
    const { code, stderr } = await refused;
    t.equal(code, 1);
    t.match(
      withoutDelays(stderr),
      /^accord cannot start\.\nThe database schema does not match this version; .*signing_keys.*\n$/,
    );
  });
});
