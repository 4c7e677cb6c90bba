/**
 * Finds out what is between the service and its server, and makes each transaction independent of its session if a
 * pooler shares sessions (docs/decisions.md, "Database").
 * @module
 */

import { randomUUID } from 'node:crypto';
import { Client, type ClientBase, type ClientConfig, type QueryConfig } from 'pg';
import { UnusableSession } from './faults.js';
import { beginSession, type OnConnect, REPORTED, type Session, type SessionOptions } from './session.js';

/** The server or the pooler behind an address. */
export interface DatabaseRoute {
  session: Session;
  /** True behind a pooler in transaction mode: each transaction may run in another session. */
  isShared: boolean;
  /** False if the pooler does not keep named statements. */
  isPrepared: boolean;
  /** The settings that each transaction sets, because the pooler does not. */
  local: Record<string, string>;
}

/** Returns a sentence for the log; undefined if there is no pooler. */
export function describeRoute({ session, isShared, isPrepared, local }: DatabaseRoute): string | undefined {
  if (!isShared) return session.isPooled ? 'DATABASE_URL leads through a pooler in session mode.' : undefined;
  const prepared = isPrepared
    ? 'It keeps prepared statements.'
    : 'Statements are not prepared, because it does not keep them (PgBouncer does from 1.21 on, with max_prepared_statements).';
  const names = Object.keys(local).join(', ');
  const settings =
    names && ` Each transaction sets ${names}. ALTER ROLE … SET for the role of DATABASE_URL makes that unnecessary.`;
  return `DATABASE_URL leads through a pooler in transaction mode. ${prepared}${settings}`;
}

const ROUNDS = 3;
/** A statement that the session does not know, or knows with another text. */
const UNPREPARED = new Set(['26000', '42P05']);

/**
 * Connects to an address and finds out what it leads to. While a second connection is in a transaction, a pooler in
 * transaction mode serves the first one by another process of the server.
 */
export async function findRoute(config: ClientConfig, options: SessionOptions): Promise<DatabaseRoute> {
  const clients: Client[] = [];
  const begin = beginSession(options);
  const connect = async () => {
    const client = new Client({ ...config, query_timeout: options.wait }).on('error', () => {});
    clients.push(client);
    await client.connect();
    return { client, session: await begin(client) };
  };
  const statement = { text: 'SELECT pg_backend_pid() AS pid', name: `route_${randomUUID()}` };
  const pidOf = async (client: Client, { ...query }: QueryConfig) => (await client.query(query)).rows[0].pid as number;
  try {
    const { client, session } = await connect();
    const route: DatabaseRoute = { session, isShared: false, isPrepared: true, local: {} };
    if (!session.isPooled) return route;
    const pid = await pidOf(client, statement);
    const other = (await connect()).client;
    await other.query('BEGIN');
    route.isShared = pid === (await pidOf(other, { text: statement.text }));
    for (let round = 0; round < ROUNDS && route.isPrepared; round++) {
      const found = await pidOf(client, statement).catch((error: { code?: string }) => {
        if (!UNPREPARED.has(String(error.code))) throw error;
        route.isPrepared = false;
      });
      route.isShared ||= found !== pid;
    }
    // This session is not the first one, which `begin` has changed.
    if (route.isShared) route.local = (await begin(client)).changed;
    await other.query('ROLLBACK');
    return route;
  } finally {
    for (const client of clients) void client.end().catch(() => {});
  }
}

type Callback = (error: Error | null, result?: unknown) => void;
type Query = (statement: QueryConfig, callback: Callback) => void;

/** Lets each transaction set what it needs, and omits the names of statements that the pooler would not keep. */
function independentOfSessions(client: ClientBase, route: DatabaseRoute): void {
  const send = client.query.bind(client) as unknown as Query;
  const literal = (text: string) => client.escapeLiteral(text);
  const settings = Object.entries(route.local).map(
    ([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true)`,
  );
  const begin = (text: string) =>
    `${text === 'BEGIN' ? 'BEGIN ISOLATION LEVEL READ COMMITTED' : text}; SELECT ${settings.join(', ')}`;
  // `pg` stores the callback in a `Query`, and a lost statement is sent twice. It reads inherited members.
  const copyOf = (statement: QueryConfig): QueryConfig =>
    Object.create(statement, route.isPrepared ? {} : { name: { value: undefined } });
  let isInTransaction = false;

  /** Omits names from then on if the pooler, which may be another one than at the start, has lost a statement. */
  function query(statement: QueryConfig, done: Callback): void {
    const { text, name } = statement;
    const isNamed = Boolean(name) && route.isPrepared;
    const isAlone = !isInTransaction;
    const callback: Callback = (error, result) => {
      const isLost = isNamed && UNPREPARED.has(String((error as { code?: string } | null)?.code));
      if (isLost) route.isPrepared = false;
      if (isLost && isAlone) query(statement, done);
      else done(error, result);
    };
    const begins = text.startsWith('BEGIN');
    if (settings.length === 0) send(copyOf(statement), callback);
    else if (begins) send({ text: begin(text) }, callback);
    else if (isInTransaction) send(copyOf(statement), callback);
    else alone(statement, callback);
    if (begins || text === 'COMMIT' || text === 'ROLLBACK') isInTransaction = begins;
  }

  /** Runs one statement in a transaction, in one write. */
  function alone(statement: QueryConfig, callback: Callback): void {
    let failure: Error | null = null;
    let result: unknown;
    send({ text: begin('BEGIN') }, () => {});
    send(copyOf(statement), (error, answer) => {
      failure = error;
      result = answer;
    });
    send({ text: 'COMMIT' }, (error) => callback(failure ?? error, result));
  }

  const either = (statement: string | QueryConfig, ...rest: [] | [unknown[]] | [Callback]): unknown => {
    const [last] = rest;
    const config = typeof statement === 'string' ? { text: statement } : statement;
    if (typeof last === 'function') return query(config, last);
    const complete = last === undefined ? config : { ...config, values: last };
    return new Promise((resolve, reject) => {
      query(complete, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
  Object.assign(client, { query: either });
}

/** Begins the sessions of an address, and rejects connections that lead elsewhere than at the start. */
export function beginRouted(route: DatabaseRoute, options: SessionOptions): OnConnect {
  const begin = beginSession({ ...options, isShared: route.isShared });
  return async (client) => {
    const session = await begin(client);
    if (session.isPooled !== route.session.isPooled) {
      throw new UnusableSession('A pooler was put before the database or removed. Start the service again.');
    }
    if (!route.isShared) return session;
    for (const [name, value] of Object.entries(session.changed)) if (!(name in REPORTED)) route.local[name] = value;
    independentOfSessions(client, route);
    return session;
  };
}
