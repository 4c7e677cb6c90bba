import type { Backend } from './backend.js';
import { postgresListener } from './listener.js';
import { migrating } from './migration-session.js';
import type { Dependency } from './outages.js';
import { openPool, reportingTo } from './pool.js';
import { sharedConnections } from './shared-connections.js';
import { statementTimeout, type TimeLimits } from './time-limits.js';

/** Milliseconds for a connection at a start, which has time. */
const START = 15_000;

/**
 * A PostgreSQL server. Nothing is opened before the first query.
 * @param name the `application_name` of the connections
 * @param poolSize the most connections that this instance opens
 */
export function openPostgres(
  address: string,
  { name, poolSize, limits }: { name: string; poolSize: number; limits: TimeLimits },
): Backend {
  const connectionString = inUtc(address);
  const common = { connectionString, connectionTimeoutMillis: limits.connect, keepAlive: true };
  const times = { statement_timeout: statementTimeout(limits), query_timeout: limits.answer };
  const options = { ...common, ...times, application_name: name };
  let server: Dependency | undefined;
  const reporting = reportingTo({ away: (reason) => server?.away(reason), back: () => server?.back() });
  const pool = openPool({ ...options, max: poolSize, reporting });
  const reads = sharedConnections(options, reporting);
  const atStart: Backend['migrating'] = async (work) => {
    const own = openPool({ ...common, connectionTimeoutMillis: START, max: 1, application_name: `${name} start` });
    return migrating(own, work).finally(() => own.end());
  };
  return {
    pool,
    reads,
    migrated: [],
    migrating: atStart,
    alone: (work) => atStart(({ exclude }) => exclude().then(work)),
    dump: () => Promise.reject(new Error('A database server is dumped by pg_dump.')),
    listener: (notify) => postgresListener(connectionString, notify, name),
    watch: (dependency) => {
      server = dependency;
    },
    close: async () => void (await Promise.all([reads.close(), pool.end()])),
  };
}

/** Sets the session's time zone: Prisma's adapter reads every timestamp as UTC, whatever the server's zone is. */
function inUtc(address: string): string {
  const url = new URL(address);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c TimeZone=UTC`.trim());
  return url.href;
}
