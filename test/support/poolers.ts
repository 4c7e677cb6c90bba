/** Poolers between a client and PostgreSQL: PgBouncer, if it is installed, and a pooler that keeps no settings. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { eventually, temporaryFolder } from './process.js';
import { freePort, POSTGRESQL } from './servers.js';

/** TEST_PGBOUNCER names another build. */
const PGBOUNCER = process.env['TEST_PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

function versionOf(command: string): readonly [number, number] | undefined {
  try {
    const [, major, minor] =
      /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' })) ?? [];
    return [Number(major), Number(minor)];
  } catch {
    return undefined;
  }
}

const version = versionOf(PGBOUNCER);
/** The reason to skip tests with PgBouncer, or false. */
export const skipWithoutPgbouncer = version === undefined && 'no PgBouncer in /usr/sbin (docs/testing.md)';
export const keepsPreparedStatements = version !== undefined && (version[0] > 1 || version[1] >= 21);

export interface Pgbouncer {
  /** Returns the address of a database through the pooler. */
  through: (address: string) => string;
  kill: () => Promise<void>;
  start: () => Promise<void>;
}

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Runs PgBouncer until the end of the test. */
export async function pgbouncer(
  t: Test,
  mode: 'session' | 'transaction' | 'statement',
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Pgbouncer> {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  const { hostname, port, username, password } = POSTGRESQL;
  const own = await freePort();
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
  const all = {
    ...{ listen_addr: '127.0.0.1', listen_port: own, unix_socket_dir: '', auth_type: 'trust' },
    ...{ auth_file: join(folder, 'users.txt'), pool_mode: mode, max_client_conn: 500, default_pool_size: 20 },
    ...(keepsPreparedStatements && { max_prepared_statements: 200 }),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=${hostname} port=${port || 5432}\n[pgbouncer]\n`;
  writeFileSync(join(folder, 'pgbouncer.ini'), `${databases}${lines.join('\n')}\n`);
  let child: ReturnType<typeof spawn> | undefined;
  const kill = async () => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  const start = async () => {
    child = spawn(PGBOUNCER, ['-q', join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...asNobody });
    await eventually('PgBouncer listens', async () => {
      const socket = connect(own, '127.0.0.1');
      const isOpen = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'close').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      return isOpen;
    });
  };
  t.teardown(kill);
  await start();
  const through = (address: string) => Object.assign(new URL(address), { host: `127.0.0.1:${own}` }).href;
  return { through, kill, start };
}

/** The first bytes of messages (PostgreSQL's protocol, "Message Formats"). */
const [SYNC, QUERY, TERMINATE, READY] = ['S', 'Q', 'X', 'Z'].map((type) => type.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];

/** Calls `onMessage` with each complete message of a stream. */
function messages(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      onMessage(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

interface Server {
  socket: Socket;
  client?: Client | undefined;
  /** The messages of the start of the connection. */
  greeting: Buffer[];
}

interface Client {
  socket: Socket;
  server?: Server | undefined;
  /** Messages that wait for a server. */
  waiting: Buffer[];
  /** Statements without an answer. */
  open: number;
}

/**
 * A pooler in transaction mode that ignores the parameters of the start, and keeps neither settings nor prepared
 * statements. Each transaction gets the server that was free for longest. PostgreSQL must trust the connection.
 * @param size the number of connections to PostgreSQL
 * @returns the address of the database through the pooler
 */
export async function forgetfulPooler(t: Test, address: string, size = 8): Promise<string> {
  const { hostname, port, username, pathname } = new URL(address);
  const sockets = new Set<Socket>();
  const idle: Server[] = [];
  const queue: Client[] = [];
  const startup = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + startup.length, 0);
  head.writeInt32BE(3 << 16, 4);

  function release(server: Server): void {
    if (server.client) server.client.server = undefined;
    server.client = undefined;
    const next = queue.shift();
    if (next) assign(next, server);
    else idle.push(server);
  }
  function assign(client: Client, server: Server): void {
    Object.assign(client, { server });
    Object.assign(server, { client });
    for (const message of client.waiting.splice(0)) server.socket.write(message);
  }
  const opened = Array.from({ length: size }, async () => {
    const socket = connect(Number(port || 5432), hostname).on('error', () => {});
    sockets.add(socket);
    const server: Server = { socket, greeting: [] };
    const started = new Promise<void>((resolve) => {
      socket.on(
        'data',
        messages((message) => {
          if (server.client === undefined) {
            server.greeting.push(message);
            if (message[0] === READY) resolve();
            return;
          }
          const { client } = server;
          client.socket.write(message);
          if (message[0] !== READY) return;
          client.open--;
          if (client.open === 0 && message[5] === 'I'.charCodeAt(0)) release(server);
        }),
      );
    });
    socket.write(Buffer.concat([head, startup]));
    await started;
    idle.push(server);
    return server;
  });
  const [first] = (await Promise.all(opened)) as [Server];

  const pooler = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    const client: Client = { socket, waiting: [], open: 0 };
    const onMessage = messages((message) => {
      if (message[0] === TERMINATE) return;
      if (message[0] === SYNC || message[0] === QUERY) client.open++;
      if (client.server) client.server.socket.write(message);
      else client.waiting.push(message);
      if (client.server || client.waiting.length > 1) return;
      const server = idle.shift();
      if (server) assign(client, server);
      else queue.push(client);
    });
    socket.once('data', () => {
      // Another key than that of a server, as poolers send it.
      for (const message of first.greeting) {
        const copy = Buffer.from(message);
        if (copy[0] === 'K'.charCodeAt(0)) copy.writeInt32BE(1, 5);
        socket.write(copy);
      }
      socket.on('data', onMessage);
    });
    socket.on('close', () => {
      if (queue.includes(client)) queue.splice(queue.indexOf(client), 1);
      // A client that leaves in a transaction costs its server, as in PgBouncer.
      client.server?.socket.destroy();
    });
  });
  pooler.listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    pooler.close();
  });
  return Object.assign(new URL(address), { host: `127.0.0.1:${(pooler.address() as AddressInfo).port}` }).href;
}
