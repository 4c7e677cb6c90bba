import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { type PoolConnection, type Result, type Statement, writeTogether } from '../prepared-prisma/connection.js';
import { type Backend, type SharedConnections, statementTimeout, type TimeLimits } from './backend.js';
import { faultOf } from './faults.js';
import { postgresListener } from './listener.js';
import { withMigrationSession } from './migrations.js';
import type { Dependency } from './outages.js';
import { openPool, type Reporting, reportingTo } from './pool.js';

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
  const atStart: Backend['withMigrationSession'] = async (work) => {
    const own = openPool({ ...common, connectionTimeoutMillis: START, max: 1, application_name: `${name} start` });
    return withMigrationSession(own, work).finally(() => own.end());
  };
  return {
    pool,
    reads,
    migrated: [],
    withMigrationSession: atStart,
    exclusively: (work) => atStart(({ exclude }) => exclude().then(work)),
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

/** How many there are, so that a server may use more than one of its cores. */
const CONNECTIONS = 2;
/** Statements that one of them has under way at most. */
const DEPTH = 64;
/** Milliseconds that a statement may hold up those behind it. */
const PATIENCE = 50;
/** Milliseconds for a connection to end in good order. */
const FAREWELL = 500;

/** What pg calls when a statement is over. */
type Answered = (error: Error | null, result: Result) => void;

/**
 * A connection on which statements are sent without waiting for the answers to those before, in whose order theirs come. When
 * one takes long, those behind it are run elsewhere as well, for they only read; so is what was under way when the connection
 * was lost. It is opened when it is first needed, and again after that.
 */
function sharedConnection(options: ClientConfig) {
  let connection: Promise<Client> | undefined;
  /** The same, once it is open. */
  let client: Client | undefined;
  /** How each that is under way goes elsewhere, in their order. */
  const underWay = new Set<() => void>();
  let isHeld = false;

  function open(): Promise<Client> {
    const opening = new Client({ ...options, pipeline: true });
    const opened = opening.connect().then(() => {
      if (connection === opened) client = opening;
      return opening;
    });
    const lost = () => {
      if (connection !== opened) return;
      connection = undefined;
      client = undefined;
    };
    opening.on('error', lost).on('end', lost);
    opened.catch(lost);
    return opened;
  }

  const timer = setTimeout(() => {
    const [first] = underWay;
    // A turn later, for the answer may be there, and this process have been busy.
    setImmediate(() => {
      const [still, ...behind] = underWay;
      if (first === undefined || still !== first) return;
      isHeld = true;
      for (const leave of behind) leave();
    });
  }, PATIENCE).unref();

  /**
   * By callback: pg makes two promises for a statement.
   * @param unopened called instead where there is no connection to be had
   */
  function send(query: Statement, answered: Answered, unopened: (error: Error) => void): void {
    connection ??= open();
    const sendOn = (opened: Client) => {
      const connection = opened as unknown as PoolConnection;
      writeTogether(connection);
      connection.query(query, answered);
    };
    if (client) sendOn(client);
    else connection.then(sendOn, unopened);
  }

  return {
    isOpen: () => connection !== undefined,
    underWay: () => underWay.size,
    isFree: () => !isHeld && underWay.size < DEPTH,
    query: (query: Statement, elsewhere: () => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        let hasLeft = false;
        const leave = () => {
          if (!hasLeft) elsewhere().then(resolve, reject);
          hasLeft = true;
        };
        const over = () => {
          underWay.delete(leave);
          isHeld = false;
          timer.refresh();
        };
        // Of one that has left, what it comes to elsewhere counts.
        const fail = (error: Error) => {
          if (!hasLeft) reject(error);
        };
        if (underWay.size === 0) timer.refresh();
        underWay.add(leave);
        const answered: Answered = (error, result) => {
          over();
          if (!error) resolve(result);
          else if (faultOf(error).kind === 'unavailable') leave();
          else fail(error);
        };
        send(query, answered, (error) => {
          over();
          fail(error);
        });
      }),
    close: async () => {
      clearTimeout(timer);
      const client = await connection?.catch(() => undefined);
      // A server that has gone silent never lets one go.
      await Promise.race([client?.end(), delay(FAREWELL, undefined, { ref: false })]);
    },
  };
}

/**
 * Opens few connections that many short reads share: with the way to the server and back, a connection is busy with one statement
 * for most of the time.
 */
function sharedConnections(options: ClientConfig, reporting: Reporting): SharedConnections {
  const all = Array.from({ length: CONNECTIONS }, () => sharedConnection(options));
  let isClosed = false;
  return {
    query(query, elsewhere) {
      if (isClosed) return elsewhere();
      const [first] = all.filter(({ isFree }) => isFree()).sort((one, other) => one.underWay() - other.underWay());
      return first ? reporting(first.query(query, elsewhere)) : elsewhere();
    },
    open: () => all.filter(({ isOpen }) => isOpen()).length,
    close: async () => {
      isClosed = true;
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}
