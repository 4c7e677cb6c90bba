import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Test } from 'tap';
import { freePort } from './servers.js';

/** The server binaries of Debian's packages. */
const BINARIES = '/usr/lib/postgresql/15/bin';
const isRoot = process.getuid?.() === 0;
const hasUser = !isRoot || spawnSync('id', ['postgres']).status === 0;

export const skipWithoutBinaries: string | false =
  existsSync(join(BINARIES, 'initdb')) && hasUser ? false : `no PostgreSQL server in ${BINARIES}`;

/** Runs a program of PostgreSQL, which refuses to run as root. */
function execute(program: string, ...args: string[]): void {
  const command = [join(BINARIES, program), ...args];
  const [first = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  const { status, stderr } = spawnSync(first, rest, {
    encoding: 'utf8',
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

/** A PostgreSQL server of the test's own. */
export interface Cluster {
  port: number;
  query: <Row extends object>(sql: string) => Promise<Row[]>;
  promote: () => void;
  /** Ends the server by SIGKILL. */
  kill: () => void;
}

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'accord-cluster-'));
  if (isRoot) {
    const [, , uid, gid] = (/^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0] ?? '').split(':');
    chownSync(path, Number(uid), Number(gid));
  }
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function started(t: Test, data: string, settings: string[]): Promise<Cluster> {
  const port = await freePort();
  const lines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${data}'`,
    ...settings,
  ];
  appendFileSync(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  execute('pg_ctl', '-D', data, '-l', join(data, 'log'), '-w', 'start');
  const kill = () => {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
  };
  t.teardown(() => {
    try {
      kill();
    } catch {} // the test has killed it
  });
  return {
    port,
    async query(sql) {
      const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    promote: () => execute('pg_ctl', '-D', data, '-w', 'promote'),
    kill,
  };
}

/** Starts a primary. */
export async function primary(t: Test): Promise<Cluster> {
  const data = folder(t);
  execute('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync');
  return started(t, data, ['fsync = off', 'max_connections = 60']);
}

/** Starts a standby, for which no commit of the primary waits. */
export async function asynchronousStandby(t: Test, { port }: Cluster): Promise<Cluster> {
  const data = folder(t);
  execute('pg_basebackup', '-D', data, '-R', '-c', 'fast', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres');
  return started(t, data, []);
}

/** Starts a standby, for which each commit of the primary waits from now on. */
export async function synchronousStandby(t: Test, old: Cluster): Promise<Cluster> {
  const standby = await asynchronousStandby(t, old);
  const { query } = old;
  await query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await query('SELECT pg_reload_conf()');
  await standby.query('SELECT 1');
  return standby;
}
