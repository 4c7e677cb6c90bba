import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import { readAddress } from '../../src/platform/database/address.js';
import { openDatabase } from '../../src/platform/database/open.js';
import { POSTGRESQL as PARAMETERS } from '../../src/platform/database/parameters.js';
import { rootPath } from '../../src/platform/root.js';
import { selfSigned } from '../support/certificate.js';
import { administer, blankDatabase } from '../support/databases.js';
import { temporaryFolder } from '../support/process.js';
import { POSTGRESQL, skipWithoutPostgresql } from '../support/servers.js';

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
  t.teardown(() => owner.end());
  await owner.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  const { href } = Object.assign(url, { username: role, password: role });
  const serves = async () => {
    const { client, failing, close } = await openDatabase(href);
    for (let times = 0; times < 5; times++) t.equal(await client.user.count(), 0);
    t.equal(await failing(), undefined);
    await close();
  };
  await serves();
  // As if the server had started again since then.
  await owner.query(`UPDATE database_state SET server = 'start 1/1'`);
  await serves();
  const { rows } = await owner.query('SELECT max(last_value)::int AS last FROM pg_sequences');
  t.ok(rows[0].last < 1000, 'a restart leaves out no ids');
  await owner.query('DROP TABLE database_state');
  await serves();
});

/** Settings that a script of a migration may leave behind, and objects of its session. */
const LEAVINGS = `
  CREATE SCHEMA elsewhere;
  CREATE TEMP TABLE left_behind (id INT);
  SET search_path TO elsewhere;
  SET TimeZone = 'Asia/Tokyo';
  SET statement_timeout = '50ms';
  SET default_transaction_read_only = on;
  CREATE ROLE ROLE_NAME;
  SET ROLE ROLE_NAME;`;

for (const kind of ['embedded', 'postgresql']) {
  const skip = kind === 'postgresql' && skipWithoutPostgresql;
  t.test(`a migration on ${kind} leaves no settings to the next one, nor to the service`, { skip }, async (t) => {
    const role = `leaving_${randomUUID().replaceAll('-', '')}`;
    if (kind === 'postgresql') t.teardown(() => administer(`DROP ROLE IF EXISTS ${role}`));
    const url = kind === 'postgresql' ? await blankDatabase(t) : 'pglite://memory';
    const migrations = temporaryFolder(t);
    cpSync(rootPath('prisma', 'migrations'), migrations, { recursive: true });
    const write = (name: string, script: string) => {
      mkdirSync(join(migrations, name));
      writeFileSync(join(migrations, name, 'migration.sql'), script);
    };
    write('9_leaving', LEAVINGS.replaceAll('ROLE_NAME', role));
    write('9_next', 'SELECT pg_sleep(0.1); CREATE TABLE next_one (at TEXT DEFAULT now()::text);');
    write('9_outside', `CREATE INDEX CONCURRENTLY by_name ON users (name);`);
    const { client, migrated, close } = await openDatabase(url, { migrations });
    t.teardown(close);
    t.same(migrated.slice(-3), ['9_leaving', '9_next', '9_outside']);
    t.match(
      await client.$queryRaw`SELECT schemaname AS schema, tableowner = session_user AS owned FROM pg_tables
        WHERE tablename = 'next_one'`,
      [{ schema: 'public', owned: true }],
    );
    t.match(
      await client.$queryRaw`SELECT current_user = session_user AS own, current_schema() AS schema,
        current_setting('default_transaction_read_only') AS only, to_regclass('pg_temp.left_behind') IS NULL AS gone`,
      [{ own: true, schema: 'public', only: 'off', gone: true }],
    );
  });
}

const ADDRESS = 'postgres://user:secret@host/name';

t.test(
  'a parameter of an address that is unknown, doubled, or refused ends the start without its values',
  async (t) => {
    const cases: Record<string, RegExp> = {
      '?sslmod=hidden': /sslmod is unknown\. Did you mean sslmode\?/,
      '?SSLMODE=hidden': /Did you mean sslmode\?/,
      '?lock_timout=hidden': /Did you mean lock_timeout\?/,
      '?qqqqqq=hidden': /qqqqqq is unknown\. docs/,
      '?toString=hidden': /toString is unknown/,
      '?sslmode=hidden': /sslmode has a wrong value/,
      '?sslmode=': /sslmode has a wrong value/,
      '?sslmode=disable&sslmode=require': /sslmode occurs twice/,
      '?lock_timeout=x': /lock_timeout has a wrong value/,
      '?connection_limit=5': /connection_limit is refused: set DATABASE_POOL/,
      '?pgbouncer=hidden': /pgbouncer is refused: leave it out/,
      '?connect_timeout=5': /connect_timeout is refused: leave it out/,
      '?client_encoding=latin1': /client_encoding is set to UTF8/,
      '?schema=hidden': /schema is set to public/,
      '#hidden': /must be written as %23/,
    };
    for (const [rest, message] of Object.entries(cases)) {
      const error = await openDatabase(ADDRESS + rest).catch((thrown: Error) => thrown);
      t.match(error, { message }, rest);
      t.match(error, { message: /^DATABASE_URL: (?!.*(secret|hidden))/s }, rest);
      t.notMatch(error, { message: /secret|hidden/ }, rest);
      await t.rejects(openDatabase(ADDRESS, { direct: ADDRESS + rest }), { message: /^DATABASE_DIRECT_URL: / }, rest);
    }
    for (const path of ['pglite://memory?sslmode=require', 'pglite:///folder?x=hidden'])
      await t.rejects(openDatabase(path), { message: /^DATABASE_URL(?!.*hidden)/ }, path);
    for (const [name, rule] of Object.entries(PARAMETERS)) {
      const [use, text] = Object.entries(rule)[0] as [string, string];
      const read = () => readAddress(`${ADDRESS}?${name}=${use === 'set' ? text : '5'}`);
      if (use === 'refused') t.throws(read, { message: `${name} is refused: ${text}` });
      else if (use === 'set') t.equal((read() as { url: string }).url, ADDRESS, `${name} is set anyway`);
    }
  },
);

t.test('the parameters that an address may have are used', { skip: skipWithoutPostgresql }, async (t) => {
  const given = new URL(await blankDatabase(t));
  const parameters = {
    host: POSTGRESQL.hostname,
    port: POSTGRESQL.port || '5432',
    user: POSTGRESQL.username,
    password: POSTGRESQL.password || 'none',
    application_name: 'of the address',
    options: '-c work_mem=5MB',
    lock_timeout: '1234',
    idle_in_transaction_session_timeout: '54321',
  };
  const url = `postgres://nobody@nowhere:1${given.pathname}?${new URLSearchParams(parameters)}`;
  const { client, connections, close } = await openDatabase(url, { poolSize: 3 });
  t.teardown(close);
  const settings = ['application_name', 'work_mem', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  const found = await client.$queryRaw<{ value: string }[]>`
    SELECT current_setting(name) AS value FROM unnest(${settings}::text[]) AS name`;
  t.same(
    found.map(({ value }) => value),
    ['of the address', '5MB', '1234ms', '54321ms'],
  );
  const busy = Array.from({ length: 6 }, () =>
    client.$transaction(async (db) => db.$queryRaw`SELECT pg_sleep(0.2)::text`),
  );
  await client.$queryRaw`SELECT 1`;
  t.equal((connections()?.busy ?? 0) + (connections()?.idle ?? 0), 3);
  await Promise.all(busy);
});

/** Starts a proxy that speaks TLS in front of the server. @returns its port, and the number of encrypted connections */
async function encrypting(t: Test, certificate: { cert: string; key: string }) {
  const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
  const sockets = new Set<Socket>();
  const found = { port: 0, encrypted: 0, plain: 0 };
  const proxy = createServer((client) => {
    sockets.add(client.on('error', () => {}));
    client.once('data', (first) => {
      const upstream = connect(Number(POSTGRESQL.port || 5432), POSTGRESQL.hostname).on('error', () => {});
      sockets.add(upstream.on('close', () => client.destroy()));
      client.on('close', () => upstream.destroy());
      if (!first.equals(REQUEST)) {
        found.plain++;
        upstream.write(first);
        client.pipe(upstream).pipe(client);
        return;
      }
      client.write('S');
      const secure = new TLSSocket(client, { isServer: true, ...certificate }).on('error', () => client.destroy());
      secure.once('secure', () => found.encrypted++);
      secure.pipe(upstream).pipe(secure);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return Object.assign(found, { port: (proxy.address() as AddressInfo).port });
}

t.test('each sslmode encrypts and checks as the table says', { skip: skipWithoutPostgresql }, async (t) => {
  const certificate = selfSigned('of the test');
  const proxy = await encrypting(t, certificate);
  const file = join(temporaryFolder(t), 'root.pem');
  writeFileSync(file, certificate.cert);
  const blank = new URL(await blankDatabase(t));
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const root = `sslrootcert=${encodeURIComponent(file)}`;
  const modes: [query: string, host: string, outcome: 'plain' | 'encrypted' | 'refused'][] = [
    ['', 'localhost', 'plain'],
    ['sslmode=disable', 'localhost', 'plain'],
    ['sslmode=no-verify', 'localhost', 'encrypted'],
    ...['prefer', 'require', 'verify-ca', 'verify-full'].flatMap((mode) => [
      [`sslmode=${mode}`, 'localhost', 'refused'] as [string, string, 'refused'],
      [`sslmode=${mode}&${root}`, 'localhost', 'encrypted'] as [string, string, 'encrypted'],
    ]),
    [root, 'localhost', 'encrypted'],
    ['uselibpqcompat=true&sslmode=require', 'localhost', 'encrypted'],
    ['uselibpqcompat=true&sslmode=prefer', 'localhost', 'encrypted'],
    ['uselibpqcompat=true&sslmode=verify-full', 'localhost', 'refused'],
  ];
  for (const [query, host, outcome] of modes) {
    Object.assign(proxy, { plain: 0, encrypted: 0 });
    const url = `postgres://${blank.username}@${host}:${proxy.port}${blank.pathname}?${query}`;
    const database = await openDatabase(url).catch(() => undefined);
    await database?.close();
    const isUsed = { plain: proxy.plain > 0, encrypted: database !== undefined && proxy.encrypted > 0 };
    t.same(isUsed, { plain: outcome === 'plain', encrypted: outcome === 'encrypted' }, query);
  }
  t.same(warnings, []);
});
