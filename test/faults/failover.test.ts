import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { type Cluster, primary, skipWithoutBinaries, synchronousStandby } from '../support/clusters.js';
import { eventually, startServer } from '../support/process.js';
import { tcpProxy } from '../support/tcp-proxy.js';
import { bearer, startLoad } from './load.js';
import { discrepancies, recovered, type World } from './world.js';

/** Milliseconds from the switch of the address to the first acknowledged write, asserted without other load. */
const MAX_RECOVERY_MS = 5000;
const whole = process.env['FAULTS'] === 'whole';
const CLIENTS = 4;

t.setTimeout(0);

/** A service whose address leads to a primary with a synchronous standby, until the test switches it. */
async function replicated(t: Test) {
  const old = await primary(t);
  const standby = await synchronousStandby(t, old);
  const target = { host: '127.0.0.1', port: old.port };
  const proxy = await tcpProxy(t, target);
  const DATABASE_URL = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
  const server = await startServer(t, { DATABASE_URL, RATE_LIMIT: '10000000', LOGIN_LIMIT: '10000000' });
  const switchTo = ({ port }: Cluster) => {
    target.port = port;
    return performance.now();
  };
  const url = server.url.replace('localhost', '127.0.0.1');
  return { old, standby, proxy, server, url, switchTo };
}

for (const name of ['split', 'crash'] as const) {
  t.test(
    `a failover by ${name} loses no acknowledged write, and leaves no connection`,
    { skip: skipWithoutBinaries },
    async (t) => {
      const { old, standby, server, url, switchTo } = await replicated(t);
      const channelId = randomUUID();
      const load = startLoad(t, url, channelId, CLIENTS);
      await recovered(load);
      const token = await bearer(url);
      await old.query('CREATE SEQUENCE small AS smallint');

      if (name === 'crash') old.kill();
      standby.promote();
      const switched = switchTo(standby);
      const recovery = await recovered(load, switched);
      t.comment(`${name}: first write ${recovery.toFixed(0)} ms after the switch`);
      if (whole) t.ok(recovery < MAX_RECOVERY_MS, `${recovery} ms`);
      // A session that waits for the standby or for a lock does not notice that its connection has gone.
      const others = `SELECT pid FROM pg_stat_activity
        WHERE application_name LIKE 'accord%' AND state LIKE 'idle%'`;
      if (name === 'split') {
        await eventually('no connection to the old server', async () => (await old.query(others)).length === 0);
      }
      t.match(server.stderr(), /^The database is timeline 2 of system \d+ now, no longer timeline 1 of system \d+\./m);
      await recovered(load);
      await load.stop();
      t.same([...load.closed.keys()], [], 'sockets stay open');
      t.equal((await fetch(`${url}/api/v1/auth/me`, { headers: token })).status, 200, 'tokens stay valid');
      const [{ last } = { last: 0 }] = await standby.query<{ last: number }>(
        'SELECT last_value::int AS last FROM small',
      );
      t.ok(last <= 1 + 32_767 / 1000, `the gap of a small sequence is small: ${last}`);
      t.same(await standby.query('SELECT generation FROM database_state'), [{ generation: null }]);
      t.match(await discrepancies({ query: standby.query } as World, load, channelId), { lost: 0, doubled: 0 });
    },
  );
}

t.test('a server that accepts no writes makes the instance unready', { skip: skipWithoutBinaries }, async (t) => {
  const { old, standby, proxy, server, url, switchTo } = await replicated(t);
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return { status: answer.status, checks };
  };
  /** Waits for an answer. Another one with the same status may come while connections are replaced. */
  const becomes = (what: string, status: number, expected: Record<string, string> = {}) =>
    eventually(what, async () => {
      const seen = await readiness();
      return seen.status === status && Object.entries(expected).every(([name, state]) => seen.checks[name] === state);
    });
  await becomes('ready', 200);
  await old.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await old.query('SELECT pg_reload_conf()');
  await becomes('unready', 503, { database: 'ok', databaseWritable: 'failed' });
  await eventually('a log line', () =>
    server.stdout().includes('it is read-only: default_transaction_read_only is on'),
  );
  await old.query('ALTER SYSTEM RESET default_transaction_read_only');
  await old.query('SELECT pg_reload_conf()');
  await becomes('ready again', 200);

  switchTo(standby);
  proxy.cut();
  await becomes('unready', 503, { database: 'ok', databaseWritable: 'failed' });
  await eventually('a log line', () => server.stdout().includes('it is read-only: a standby'));
  standby.promote();
  await becomes('ready after the promotion', 200);

  switchTo(old);
  proxy.cut();
  await becomes('unready on the old primary', 503);
  await eventually('a refusal', () => server.stdout().includes('timeline 1 of system'));
  t.equal((await readiness()).status, 503, 'an old primary is not used again');
});
