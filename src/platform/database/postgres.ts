import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool, PoolConfig } from 'pg';
import type { Backend, MigrationSession } from './backend.js';
import { postgresListener } from './listener.js';
import type { Dependency } from './outages.js';
import { telling } from './patience.js';
import { connectPool, tellingOf } from './postgres-adapter.js';
import { postgresStatements } from './postgres-statements.js';
import { sharedConnections } from './shared-connections.js';
import { statementNames } from './statement-names.js';
import { statementTimeout, type TimeLimits } from './time-limits.js';

/** Milliseconds for a connection at a start, which has time. */
const START = 15_000;
/** Of Prisma's own tool, so that `prisma migrate deploy` beside a starting instance waits as well. */
const MIGRATION_LOCK = 72_707_369;
/** Milliseconds that an instance waits for another one's migrations. */
const MIGRATION_WAIT = 60_000;
/** Milliseconds that a start waits for an answer to a question, and for another program that has locked a table. */
const START_WAIT = 30_000;

/** A PostgreSQL server. `name`: what its connections are called there. `poolSize`: the most connections that this instance opens. Nothing is opened before the first query. */
export function openPostgres(
  address: string,
  { name, poolSize, limits: times }: { name: string; poolSize: number; limits: TimeLimits },
): Backend {
  const connectionString = inUtc(address);
  const shared = { connectionString, connectionTimeoutMillis: times.connect, keepAlive: true };
  const limits = { statement_timeout: statementTimeout(times), query_timeout: times.answer };
  const options = { ...shared, ...limits, application_name: name };
  const pool = new PrismaPg({ ...options, pipeline: true, max: poolSize } as PoolConfig, {
    statementNameGenerator: statementNames(),
  });
  const short = sharedConnections(options);
  const onOwn: Backend['migrating'] = (work) =>
    migrating(
      new PrismaPg({ ...shared, connectionTimeoutMillis: START, max: 1, application_name: `${name} start` }),
      work,
    );
  let closed = false;
  let connections: Pool | undefined;
  let server: Dependency | undefined;
  const telling = tellingOf({ away: (reason) => server?.away(reason), back: () => server?.back() });
  const isClosed = () => new Error('The database is closed.');
  let connected: ReturnType<typeof connectPool> | undefined;
  /** One pool, for Prisma and beside it. */
  const connectPoolOnce = async () => {
    // A Prisma client that was disconnected connects again at its next query, and nobody would close that pool.
    if (closed) throw isClosed();
    connected ??= connectPool(pool, telling);
    const adapter = await connected;
    connections = adapter.underlyingDriver();
    return adapter;
  };
  return {
    listener: (notify) => postgresListener(connectionString, notify, name),
    adapter: {
      provider: 'postgres',
      adapterName: pool.adapterName,
      connect: connectPoolOnce,
    },
    connect: async () => void (await connectPoolOnce()),
    statements: postgresStatements(
      short,
      () => {
        if (closed || !connections) throw isClosed();
        return connections;
      },
      telling,
      times.transaction,
    ),
    watch: (dependency) => {
      server = dependency;
    },
    pool: () => {
      const { totalCount = 0, idleCount = 0, waitingCount = 0 } = connections ?? {};
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, shared: short.open() };
    },
    migrated: [],
    migrating: onOwn,
    alone: (work) =>
      onOwn(async ({ exclude }) => {
        await exclude?.();
        return work();
      }),
    dump: () => Promise.reject(new Error('A database server is dumped by pg_dump.')),
    close: async () => {
      closed = true;
      await Promise.all([short.close(), connected?.then((adapter) => adapter.dispose())]);
    },
  };
}

/** The adapter reads every timestamp as UTC whatever the server's zone is, so the session's zone must be UTC. */
function inUtc(address: string): string {
  const url = new URL(address);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c TimeZone=UTC`.trim());
  return url.href;
}

/**
 * On one connection, taken out of its pool: a pool drops a connection at the first error of a statement, and with it would go
 * the advisory lock.
 */
async function migrating<T>(factory: PrismaPg, work: (session: MigrationSession) => Promise<T>): Promise<T> {
  const adapter = await factory.connect();
  try {
    const client = await adapter.underlyingDriver().connect();
    client.on('error', () => {}); // the statement under way, or the next one, rejects
    await client.query(`SET lock_timeout = ${START_WAIT}`);
    return await work({
      query: async (text) => {
        const question = { text, query_timeout: START_WAIT };
        return (await client.query(question)).rows;
      },
      run: async (script) => void (await client.query(script)),
      exclude: async () => {
        await client.query(`SET lock_timeout = ${MIGRATION_WAIT}`);
        const seconds = MIGRATION_WAIT / 1000;
        await telling(`Another process migrates this database. Waiting up to ${seconds} s for it.`, () =>
          client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`),
        ).catch((cause: { code?: string }) => {
          if (cause.code !== '55P03') throw cause;
          throw new Error(`Another process has been migrating this database for ${seconds} s.`, { cause });
        });
        await client.query(`SET lock_timeout = ${START_WAIT}`);
      },
    }).finally(() => client.release(true));
  } finally {
    await adapter.dispose();
  }
}
