import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import { asynchronousStandby, type Cluster, primary, skipWithoutBinaries } from '../support/clusters.js';
import { page } from '../support/documentation.js';
import { eventually, ROOT, startServer, temporaryFolder } from '../support/process.js';
import { freePort, skipWithoutPostgresql } from '../support/servers.js';
import { tcpProxy } from '../support/tcp-proxy.js';
import { bearer, CREDENTIALS, startLoad } from './load.js';
import { freshDatabase, recovered } from './world.js';

const RESTORED = 4205;
const ENVIRONMENT = { RATE_LIMIT: '10000000', LOGIN_LIMIT: '10000000' };
const CLIENTS = 2;
const TOOLS = ['pg_dump', 'pg_restore'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const skipWithoutTools = skipWithoutPostgresql || (TOOLS ? false : 'pg_dump and pg_restore are not installed');

t.setTimeout(0);

/** The steps of docs/operations.md, "Backup and restore", in its order: save, stop, restore, tell, start. */
const [save, stop, restore, tell, start] =
  page('docs/operations.md').split('## Backup and restore')[1]?.split('```')[1]?.split('\n').slice(1) ?? [];

const answerOf = async (url: string, path: string, headers: Record<string, string> = CREDENTIALS, init = {}) => {
  const answer = await fetch(url + path, { headers, ...init });
  const text = await answer.text();
  return { status: answer.status, etag: answer.headers.get('etag') ?? '', body: text && JSON.parse(text) };
};

async function createUser(url: string): Promise<{ id: number; etag: string }> {
  const body = JSON.stringify({ name: 'Ann', email: `${randomUUID()}@example.com`, role: 'viewer' });
  const headers = { ...CREDENTIALS, 'content-type': 'application/json' };
  const created = await answerOf(url, '/api/v1/users', headers, { method: 'POST', body });
  return { id: created.body.id, etag: created.etag };
}

const counterOf = async ({ query }: Pick<Cluster, 'query'>) =>
  Number((await query<{ counter: string }>('SELECT counter FROM database_state'))[0]?.counter);

t.test(
  'a restored dump: nothing that was given out since the backup is taken for something else',
  {
    skip: skipWithoutTools,
  },
  async (t) => {
    const { href } = await freshDatabase(t);
    const settings = { DATABASE_URL: href, PORT: String(await freePort()), ...ENVIRONMENT };
    const { url, stderr, kill, ended } = await startServer(t, settings);
    const folder = temporaryFolder(t);
    const client = new Client({ connectionString: href });
    await client.connect();
    t.teardown(() => client.end());
    const environment = {
      ...process.env,
      DATABASE_URL: href,
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    };
    const run = (command = '') => {
      const cwd = command.startsWith('npx') ? ROOT : folder;
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, env: environment, encoding: 'utf8' });
      t.equal(status, 0, `${command}: ${stderr}`);
      return stdout;
    };

    const channelId = randomUUID();
    const load = startLoad(t, url, channelId, CLIENTS);
    await recovered(load);
    const kept = await createUser(url);
    const list = '/api/v1/users?limit=1&after=';
    const { cursor } = (await answerOf(url, list)).body;
    t.equal((await answerOf(url, `${list}${cursor.next}`)).status, 200);
    run(save);
    t.ok(existsSync(join(folder, 'accord.dump')));
    const patched = (name: string) =>
      answerOf(
        url,
        `/api/v1/users/${kept.id}`,
        { ...CREDENTIALS, 'content-type': 'application/merge-patch+json' },
        {
          method: 'PATCH',
          body: JSON.stringify({ name }),
        },
      );
    const lostVersion = (await patched('Lost')).etag;
    const lost = await createUser(url);
    const token = await bearer(url);
    const messages = load.messages.size;
    await eventually('messages that the backup lacks', () => load.messages.size > messages + 20);
    const counter = async () => (await client.query('SELECT counter FROM database_state')).rows[0].counter;
    const before = await counter();
    await eventually('a beat', async () => (await counter()) !== before);

    await load.stop();
    const newest = async () => Number((await client.query('SELECT max(id) FROM messages')).rows[0].max);
    const lostMessage = await newest();
    await eventually('the last message', () => Number(load.received.at(-1)) === lostMessage);
    // An instance that runs notices the restore by itself.
    run(restore);
    const restored = performance.now();
    await eventually('a new generation', () => stderr().includes('The database went back to an earlier state'));
    await eventually('closed sockets', () => load.closed.has(RESTORED));
    t.comment(`sockets closed ${(performance.now() - restored).toFixed(0)} ms after the restore`);

    t.match([stop, start], [/^# Stop /, /^# Start /]);
    kill('SIGTERM');
    await ended;
    run(restore);
    const [, told] = /generation is (\w+)/.exec(run(tell)) ?? [];
    await startServer(t, settings);
    const later = startLoad(t, url, channelId, CLIENTS);
    await recovered(later);
    t.match(run(tell), /was noticed already/, 'one restore has one generation');
    const [{ generation }] = (await client.query('SELECT generation FROM database_state')).rows;
    t.equal(told, generation);
    await later.stop();
    const { rows: stored } = await client.query('SELECT id FROM messages WHERE channel_id = $1 ORDER BY id', [
      channelId,
    ]);
    const added = stored.map(({ id }) => Number(id)).filter((id) => id > lostMessage);
    await eventually('the newest message', () => Number(load.received.at(-1)) === added.at(-1));
    t.same(
      load.received.map(Number).filter((id) => id > lostMessage),
      added,
      'the subscriber misses none',
    );
    t.ok(
      added.every((id) => id > 1_000_000),
      'no id of a lost message is given again',
    );

    t.equal((await answerOf(url, '/api/v1/auth/me', token)).status, 401, 'a token of before');
    t.equal((await answerOf(url, '/api/v1/auth/me', await bearer(url))).status, 200, 'a token of now');
    t.equal((await answerOf(url, `${list}${cursor.next}`)).status, 400, 'a cursor of before');
    t.equal((await answerOf(url, `/api/v1/users/${lost.id}`)).status, 404);
    t.ok((await createUser(url)).id > lost.id + 1000);
    const now = await patched('Other');
    t.equal(now.etag, lostVersion.replace(/"$/, `-${generation}"`), 'the same id and version');
    const conditional = (etag: string) =>
      answerOf(url, `/api/v1/users/${kept.id}`, { ...CREDENTIALS, 'if-none-match': etag });
    t.same([(await conditional(lostVersion)).status, (await conditional(now.etag)).status], [200, 304]);
    const { rows: audited } = await client.query(`SELECT event FROM audit_events WHERE event LIKE 'database.%'`);
    t.equal(audited.length, 1);
  },
);

/** A service whose address leads to a primary, until the test switches it to a standby that lacks the last rows. */
async function replicated(t: Test) {
  const old = await primary(t);
  const standby = await asynchronousStandby(t, old);
  const target = { host: '127.0.0.1', port: old.port };
  const proxy = await tcpProxy(t, target);
  const DATABASE_URL = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
  const server = await startServer(t, { DATABASE_URL, ...ENVIRONMENT });
  const url = server.url.replace('localhost', '127.0.0.1');
  /** Lets the standby have everything that was written before, and nothing from now on. */
  async function stopReplication() {
    const [{ lsn } = { lsn: '' }] = await old.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn');
    await eventually('a standby that has caught up', async () => {
      const [row] = await standby.query<{ ok: boolean }>(`SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS ok`);
      return row?.ok;
    });
    await standby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
    await standby.query('SELECT pg_reload_conf()');
    await eventually(
      'no replication',
      async () => (await standby.query('SELECT 1 FROM pg_stat_wal_receiver')).length === 0,
    );
  }
  function switchOver() {
    old.kill();
    standby.promote();
    target.port = standby.port;
  }
  return { old, standby, url, server, stopReplication, switchOver };
}

t.test(
  'a promoted standby that lacks the last rows: a subscriber misses no later message',
  {
    skip: skipWithoutBinaries,
  },
  async (t) => {
    const { old, standby, url, server, stopReplication, switchOver } = await replicated(t);
    const channelId = randomUUID();
    const load = startLoad(t, url, channelId, CLIENTS);
    await recovered(load);
    const token = await bearer(url);
    await stopReplication();
    const before = await counterOf(old);
    await eventually('two beats', async () => (await counterOf(old)) > before + 1);
    const lost = Number(load.received.at(-1));
    switchOver();
    const switched = performance.now();
    await eventually('a new generation', () => server.stderr().includes('The database went back to an earlier state'));
    const recovery = await recovered(load, switched);
    t.comment(`first write ${recovery.toFixed(0)} ms after the switch`);
    await load.stop();
    t.ok(load.closed.has(RESTORED));
    t.equal((await answerOf(url, '/api/v1/auth/me', token)).status, 401);
    const stored = await standby.query<{ id: number }>(
      `SELECT id FROM messages WHERE channel_id = '${channelId}' ORDER BY id`,
    );
    const added = stored.map(({ id }) => id).filter((id) => id > lost);
    await eventually('the newest message', () => Number(load.received.at(-1)) === added.at(-1));
    t.same(
      load.received.map(Number).filter((id) => id > lost + 1000),
      added,
    );
  },
);

t.test(
  'a loss that is younger than the last beat: tokens and sockets stay, and no id is given again',
  {
    skip: skipWithoutBinaries,
  },
  async (t) => {
    const { old, standby, url, server, stopReplication, switchOver } = await replicated(t);
    const channelId = randomUUID();
    const token = await bearer(url);
    const first = startLoad(t, url, channelId, 0);
    // Beats wait for this lock, until the server is killed.
    const locking = new Client({ host: '127.0.0.1', port: old.port, user: 'postgres', database: 'postgres' });
    locking.on('error', () => {});
    await locking.connect();
    await locking.query('BEGIN');
    await locking.query('SELECT 1 FROM database_state FOR UPDATE');
    await stopReplication();
    const lost: number[] = [];
    const add = async () => {
      const query = `mutation { addMessage(channelId: "${channelId}", text: "${randomUUID()}") { id } }`;
      const headers = { ...CREDENTIALS, 'content-type': 'application/json' };
      const { body } = await answerOf(url, '/graphql', headers, { method: 'POST', body: JSON.stringify({ query }) });
      return Number(body.data?.addMessage?.id);
    };
    for (let i = 0; i < 5; i++) lost.push(await add());
    await eventually('the subscriber', () => first.received.length === lost.length);
    t.equal(await counterOf(old), await counterOf(standby));
    switchOver();
    await eventually('the new server', () => server.stderr().includes('The database is timeline 2'));
    const next = await eventually('an id', async () => (await add()) || undefined);
    t.ok(next > (lost.at(-1) as number) + 1000);
    await eventually('the subscriber', () => first.received.at(-1) === String(next));
    t.same([...first.closed.keys()], []);
    t.equal((await answerOf(url, '/api/v1/auth/me', token)).status, 200);
    t.same(await standby.query('SELECT generation FROM database_state'), [{ generation: null }]);
  },
);
