import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Test } from 'tap';
import type { Pgbouncer } from '../support/poolers.js';
import { eventually, type Server, START, startServer } from '../support/process.js';
import { freePort, POSTGRESQL, REDIS } from '../support/servers.js';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.js';
import type { Load } from './load.js';

/** The service of `npm start` on PostgreSQL and Redis, over connections that a test can damage. */
export interface World {
  url: string;
  /** The running process. */
  server: () => Server;
  /** Starts a process after the previous one has ended. */
  restart: () => Promise<void>;
  database: TcpProxy;
  redis: TcpProxy;
  /** Queries the database over a separate connection. */
  query: <Row extends object>(sql: string) => Promise<Row[]>;
}

const hostOf = ({ hostname, port }: URL, usual: number) => ({ host: hostname, port: Number(port || usual) });

/**
 * Creates a database for the test. Its owner is subject to the server's limits, unlike a superuser.
 * @returns `href` for the owner, and `client` of a superuser
 */
export async function freshDatabase(t: Test): Promise<{ name: string; href: string; client: Client }> {
  const name = `accord_faults_${randomUUID().replaceAll('-', '')}`;
  const admin = new Client({ connectionString: POSTGRESQL.href });
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN`);
  await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  const address = new URL(`/${name}`, POSTGRESQL);
  const client = new Client({ connectionString: address.href });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.query(`DROP ROLE ${name}`);
    await admin.end();
  });
  address.username = name;
  return { name, href: address.href, client };
}

export async function world(
  t: Test,
  environment: Record<string, string> = {},
  command: readonly [string, ...string[]] = START,
  pooler?: Pgbouncer,
): Promise<World> {
  const { name, href, client } = await freshDatabase(t);
  // No fault stops the database server. With a busy disk, a commit can wait longer than a statement may.
  await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  const database = await tcpProxy(t, hostOf(POSTGRESQL, 5432));
  const redis = await tcpProxy(t, hostOf(REDIS, 6379));
  const address = new URL(href);
  address.host = `127.0.0.1:${database.port}`;
  const settings = {
    DATABASE_URL: address.href,
    REDIS_URL: `redis://127.0.0.1:${redis.port}?keyPrefix=${name}:`,
    PORT: String(await freePort()),
    RATE_LIMIT: '10000000',
    LOGIN_LIMIT: '10000000',
    LOG_LEVEL: 'info',
    ...(pooler && {
      DATABASE_URL: pooler.through(new URL(`/${name}`, POSTGRESQL).href),
      DATABASE_DIRECT_URL: address.href,
    }),
    ...environment,
  };
  const start = () => startServer(t, settings, command);
  let server = await start();
  return {
    url: server.url.replace('localhost', '127.0.0.1'),
    server: () => server,
    async restart() {
      await server.ended;
      server = await start();
    },
    database,
    redis,
    query: async (sql) => (await client.query(sql)).rows,
  };
}

/** Compares the acknowledged writes with stored and received ones. */
export async function discrepancies({ query }: World, load: Load, channelId: string) {
  const orders = await query<{ amount: number; times: number }>(
    'SELECT amount, count(*)::int AS times FROM orders WHERE amount > 1000000 GROUP BY amount',
  );
  const messages = await query<{ id: number; text: string }>(
    `SELECT id, text FROM messages WHERE channel_id = '${channelId}' ORDER BY id`,
  );
  await load.caughtUp(messages.length);
  const amounts = new Set(orders.map(({ amount }) => amount));
  const texts = new Set(messages.map(({ text }) => text));
  const lost = [...load.orders].filter((order) => !amounts.has(order)).length;
  const unheard = [...load.messages].filter((message) => !texts.has(message)).length;
  const stored = messages.map(({ id }) => String(id)).join();
  return {
    lost: lost + unheard,
    doubled: orders.filter(({ times }) => times > 1).length,
    gapless: load.received.join() === stored,
  };
}

/** Returns the milliseconds until a write is acknowledged that began after this call. */
export async function recovered(load: Load, began = performance.now()): Promise<number> {
  const now = performance.now();
  await eventually('an acknowledged write', () => load.acknowledged() > now);
  return performance.now() - began;
}
