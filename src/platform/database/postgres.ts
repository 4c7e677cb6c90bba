/** Opens the connections to a PostgreSQL server: the pool, shared reads, the listener and migration sessions. @module */

import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Done, PoolConnection, Statement } from '@accord-api/prepared-prisma';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { BOUNDS } from '../core/bounds.js';
import { inFlight } from '../core/calls/in-flight.js';
import {
  type Backend,
  GROW_MS,
  hasTooMany,
  openPool,
  outcomeReporter,
  type PreparedPrisma,
  type ReportOutcome,
  type SharedConnections,
  statementTimeout,
  type TimeLimits,
} from './backend.js';
import { faultOf, isReadOnlyRefusal } from './faults.js';
import { databaseGeneration } from './generation.js';
import { withMigrationSession } from './migrations.js';
import type { Dependency } from './outages.js';
import { beginRouted, describeRoute, findRoute } from './pooler.js';
import { type OnConnect, serverIdentity } from './session.js';
import { postgresListener } from './signals.js';

const START_TIMEOUT_MS = 15_000;

export interface PostgresOptions {
  /** The `application_name` of the connections. */
  name: string;
  poolSize: number;
  limits: TimeLimits;
  /** The address of the server behind a pooler in transaction mode. */
  direct?: string | undefined;
  /** Gets each connection for statements of callers, after the statement that begins its session. */
  observe?: (client: ClientBase) => void;
}

/** @throws Error if `direct` does not lead to sessions of the same database */
async function findRoutes(config: ClientConfig, connectionString: string, direct: string, statementTimeout: number) {
  const options = { statementTimeout, wait: START_TIMEOUT_MS };
  const route = await findRoute({ ...config, connectionString }, options);
  const directRoute =
    direct === connectionString ? route : await findRoute({ ...config, connectionString: direct }, options);
  if (directRoute.isShared) {
    throw new Error(
      `${direct === connectionString ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'} leads through a pooler in transaction mode. Set DATABASE_DIRECT_URL to the address of the server itself: signals, locks and migrations need a session of their own.`,
    );
  }
  const [one, other] = [route.session, directRoute.session];
  if (one.systemIdentifier !== other.systemIdentifier || one.database !== other.database) {
    throw new Error('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.');
  }
  return { route, directRoute };
}

/** Returns a backend on a server. */
export async function openPostgres(
  connectionString: string,
  { name, poolSize, limits, direct = connectionString, observe = () => {} }: PostgresOptions,
): Promise<Backend> {
  const atStart = { connectionTimeoutMillis: START_TIMEOUT_MS, keepAlive: true, application_name: `${name} start` };
  const { route, directRoute } = await findRoutes(atStart, connectionString, direct, statementTimeout(limits));
  const common = { connectionString, connectionTimeoutMillis: limits.connect, keepAlive: true };
  const options = { ...common, query_timeout: limits.answer, application_name: name };
  const sessions = {
    statementTimeout: statementTimeout(limits),
    lockTimeout: limits.lock,
    wait: limits.connect,
    hasState: true,
  };
  const identity = serverIdentity(() => generation);
  const begin = identity.guard(beginRouted(route, sessions));
  // Without the statement of `begin`, which may fail because it asks for more than the role may read.
  const onConnect: OnConnect = async (client) => {
    const session = await begin(client);
    observe(client);
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.on('errorMessage', (error: unknown) => isReadOnlyRefusal(error) && checkServer(true));
    return session;
  };
  const checkServer = identity.checks({ ...options, application_name: `${name} check` }, begin);
  let server: Dependency | undefined;
  const reportOutcome = outcomeReporter({
    away: (reason) => server?.away(reason),
    back: () => {
      server?.back();
      checkServer();
    },
  });
  const pool = openPool({ ...options, max: poolSize, maxLifetimeSeconds: MAX_AGE_MS / 1000, reportOutcome, onConnect });
  pool.on('release', () => generation.touch());
  const generation = databaseGeneration((text, values) => pool.query(text, values), identity.isReadOnly);
  const startSession: Backend['withMigrationSession'] = async (work) => {
    const onConnect = beginRouted(directRoute, { statementTimeout: 0, wait: START_TIMEOUT_MS });
    const own = openPool({ ...atStart, connectionString: direct, max: 1, onConnect });
    return withMigrationSession(own, work, onConnect).finally(() => own.end());
  };
  return {
    pool,
    shareReads: (prepared) => sharedConnections(prepared, options, onConnect, reportOutcome),
    generation,
    route: describeRoute(route),
    migrated: [],
    withMigrationSession: startSession,
    exclusively: (work) => startSession(({ lockMigrations }) => lockMigrations().then(work)),
    dump: () => Promise.reject(new Error('Dump a database server with pg_dump.')),
    listener: (notify) => postgresListener(direct, identity.guard(beginRouted(directRoute, sessions)), notify, name),
    watch: (dependency) => {
      server = dependency();
      identity.watch(dependency());
    },
    isReadOnly: identity.isReadOnly,
    close: async () => {
      generation.close();
      await pool.end();
    },
  };
}

/** More than one, because PostgreSQL serves a connection on one core. */
const SHARED_CONNECTIONS = 2;
/** Statements in flight on one connection. */
const MAX_IN_FLIGHT = 64;
/** Milliseconds that a statement may delay those behind it. */
const MAX_DELAY_MS = 50;
const CLOSE_TIMEOUT_MS = 500;
const MAX_AGE_MS = BOUNDS.connectionAge.value;

/**
 * Pipelines reads on one connection. If a read is slow or the connection is lost, the reads behind it run elsewhere as
 * well. Opens the connection with the first read, and again after a loss.
 */
function sharedConnection(prepared: PreparedPrisma, options: ClientConfig, onConnect: OnConnect) {
  let connection: Promise<Client> | undefined;
  /** Set while the connection is open. */
  let client: Client | undefined;
  /** For each read in flight, oldest first: a function that runs the read elsewhere. */
  const reads = inFlight<() => void>();
  let isBlocked = false;
  /** The time in `performance.now()` until which no connection is opened, because the server has none left. */
  let restUntil = 0;

  function open(): Promise<Client> {
    const opening = new Client({ ...options, pipeline: true });
    const opened = opening
      .connect()
      .then(() => onConnect(opening))
      .then(() => {
        if (connection === opened) client = opening;
        return opening;
      });
    const onEnd = () => {
      if (connection !== opened) return;
      connection = undefined;
      client = undefined;
    };
    const aged = setTimeout(() => {
      onEnd();
      void opening.end(); // reads in flight run elsewhere
    }, MAX_AGE_MS).unref();
    opening
      .on('error', onEnd)
      .on('end', onEnd)
      .on('end', () => clearTimeout(aged));
    opened.catch((error: unknown) => {
      onEnd();
      void opening.end();
      if (hasTooMany(error)) restUntil = performance.now() + GROW_MS;
    });
    return opened;
  }

  const timer = setTimeout(() => {
    const first = reads.first();
    // The answer may have arrived while this process was busy, so the check waits one turn.
    setImmediate(() => {
      const [still, ...behind] = reads.items();
      if (first === undefined || still !== first) return;
      isBlocked = true;
      for (const runElsewhere of behind) runElsewhere();
    });
  }, MAX_DELAY_MS).unref();

  /** Takes callbacks, because `pg` would create two promises for each statement. */
  function send(query: Statement, answered: Done, onConnectError: (error: Error) => void): void {
    connection ??= open();
    const sendOn = (opened: Client) => {
      const connection = opened as unknown as PoolConnection;
      prepared.writeTogether(connection);
      prepared.send(connection, query, answered);
    };
    if (client) sendOn(client);
    else connection.then(sendOn, onConnectError);
  }

  return {
    isOpen: () => connection !== undefined,
    inFlight: reads.size,
    isFree: () =>
      !isBlocked && reads.size() < MAX_IN_FLIGHT && (connection !== undefined || performance.now() > restUntil),
    query: (query: Statement, done: Done, elsewhere: (done: Done) => void): void => {
      let isElsewhere = false;
      const runElsewhere = () => {
        if (!isElsewhere) elsewhere(done);
        isElsewhere = true;
      };
      const remove = () => {
        reads.remove(place);
        isBlocked = false;
        timer.refresh();
      };
      if (reads.size() === 0) timer.refresh();
      const place = reads.add(runElsewhere);
      const answered: Done = (error, result) => {
        remove();
        if (error && faultOf(error).kind === 'unavailable') runElsewhere();
        // A read that also runs elsewhere takes the result from there, unless this one is earlier.
        else if (!isElsewhere || !error) done(error, result);
      };
      send(query, answered, (error) => {
        remove();
        // The pool waits for a connection of its own.
        if (hasTooMany(error)) runElsewhere();
        else if (!isElsewhere) done(error, prepared.NO_RESULT);
      });
    },
    close: async () => {
      clearTimeout(timer);
      const client = await connection?.catch(() => undefined);
      // A dead server does not answer.
      await Promise.race([client?.end(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

/** Opens connections for short reads. Without pipelining, a connection mostly waits for the network. */
function sharedConnections(
  prepared: PreparedPrisma,
  options: ClientConfig,
  onConnect: OnConnect,
  reportOutcome: ReportOutcome,
): SharedConnections {
  const all = Array.from({ length: SHARED_CONNECTIONS }, () => sharedConnection(prepared, options, onConnect));
  let isClosed = false;
  return {
    query(query, done, elsewhere) {
      const [first] = isClosed ? [] : all.filter(({ isFree }) => isFree()).sort((a, b) => a.inFlight() - b.inFlight());
      if (!first) return elsewhere(done);
      const answered: Done = (error, result) => {
        reportOutcome(error);
        done(error, result);
      };
      first.query(query, answered, elsewhere);
    },
    open: () => all.filter(({ isOpen }) => isOpen()).length,
    close: async () => {
      isClosed = true;
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}
