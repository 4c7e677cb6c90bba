/**
 * Begins the session of each new connection to a server, of every kind: one statement sets the settings that the
 * service rests on, reads them back, and identifies the server. All connections of the process stay on one server
 * (docs/decisions.md, "Database").
 * @module
 */

import { Client, type ClientBase, type ClientConfig } from 'pg';
import { BY_START, type Generation, NO_TABLE, STATE, type State } from './generation.js';
import type { Dependency } from './outages.js';

/** Describes the server of a new connection, and its settings. */
export interface Session {
  /** True if the process of the server has another id than the start of the connection said: a pooler is in between. */
  isPooled: boolean;
  database: string;
  /** Equal on a primary and its standbys. The start of the server if the role may not read it. */
  systemIdentifier: string;
  /** 0 on a standby. */
  timeline: number;
  isInRecovery: boolean;
  /** True on a standby, and if `default_transaction_read_only` is on for new sessions. */
  isReadOnly: boolean;
  /** The row of `database_state`; undefined without the table, or if the options do not ask for it. */
  state?: State | null;
  /** The settings that had another value before the statement, with the value that the service needs. */
  changed: Record<string, string>;
}

/** Runs on a new connection before its first use. If it rejects, the connection is closed. */
export type OnConnect = (client: ClientBase) => Promise<Session>;

/**
 * SQL expressions of the values that the settings must have. PostgreSQL reports changes of these ones to the client, so
 * a pooler can restore them for each transaction.
 */
export const REPORTED = {
  TimeZone: `'UTC'`,
  DateStyle: `'ISO, MDY'`,
  client_encoding: `'UTF8'`,
  standard_conforming_strings: `'on'`,
};
const OTHERS = {
  bytea_output: `'hex'`,
  extra_float_digits: `'1'`,
  default_transaction_isolation: `'read committed'`,
  // Statements name tables without their schema.
  search_path: `concat_ws(', ', CASE current_schema() WHEN 'public' THEN NULL ELSE 'public' END,
    nullif(current_setting('search_path'), ''))`,
};

/**
 * The value of a new session. A pooler keeps sessions from before an `ALTER DATABASE` or `ALTER ROLE`; this one gets the
 * value, as other clients of the pooler would with a new session.
 */
const READ_ONLY_WHEN_NEW = `set_config('default_transaction_read_only', coalesce(
  (SELECT split_part(one, '=', 2) FROM pg_db_role_setting, unnest(setconfig) AS one
    WHERE one LIKE 'default_transaction_read_only=%'
      AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
      AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    ORDER BY setrole = 0, setdatabase = 0 LIMIT 1),
  (SELECT CASE WHEN source IN ('session', 'database', 'user', 'database user', 'global') THEN 'off' ELSE setting END
    FROM pg_settings WHERE name = 'default_transaction_read_only')), false)`;
const SERVER = `pg_backend_pid() AS pid, current_database() AS database, pg_is_in_recovery() AS "isInRecovery"`;
/** A session of a standby writes nothing after the promotion, which may lack rows: a new connection notices that. */
const READ_ONLY_ON_STANDBY = `CASE WHEN pg_is_in_recovery() THEN set_config('default_transaction_read_only', 'on', false) END`;
/** Without `pg_control_checkpoint`, whose timeline is the old one until the first checkpoint after a promotion. */
const IDENTITY = `(SELECT system_identifier::text FROM pg_control_system()) AS "systemIdentifier",
  CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;
/** For servers that do not let the role read it. */
const IDENTITY_BY_START = `'${BY_START}' || extract(epoch FROM pg_postmaster_start_time()) AS "systemIdentifier",
  CASE WHEN pg_is_in_recovery() THEN 0 ELSE 1 END AS timeline`;
const NOT_PERMITTED = new Set(['42501', '42883', '0A000']);

export interface SessionOptions {
  /** Milliseconds; 0 for no limit. */
  statementTimeout: number;
  /** Milliseconds. If undefined, the setting of the address or of the server applies. */
  lockTimeout?: number;
  /** Milliseconds for the answer of the server. */
  wait: number;
  /** True if each transaction may get another session: settings of OTHERS would reach other clients. */
  isShared?: boolean | undefined;
  /** Reads `database_state`, which exists after the migrations. */
  hasState?: boolean;
}

/** Returns the function that begins a session. */
export function beginSession({
  statementTimeout,
  lockTimeout,
  wait,
  isShared,
  hasState = false,
}: SessionOptions): OnConnect {
  const others = {
    ...OTHERS,
    statement_timeout: `'${statementTimeout}'`,
    ...(lockTimeout !== undefined && {
      // The address may state another one.
      lock_timeout: `coalesce(nullif(current_setting('lock_timeout'), '0'), '${lockTimeout}')`,
    }),
  };
  const names = Object.keys({ ...REPORTED, ...others });
  const before = names.map((name) => `current_setting('${name}')`);
  const set =
    (isLocal: string) =>
    ([name, value]: [string, string]) =>
      `set_config('${name}', ${value}, ${isLocal})`;
  let identity = IDENTITY;
  return async (client) => {
    const { processID } = client as unknown as { processID: number };
    const isReadOnly = `CASE WHEN pg_backend_pid() <> ${processID} THEN pg_is_in_recovery() OR ${READ_ONLY_WHEN_NEW} = 'on'
      ELSE current_setting('transaction_read_only') = 'on' END AS "isReadOnly"`;
    const isLocal = String(isShared ?? `pg_backend_pid() <> ${processID}`);
    const after = [...Object.entries(REPORTED).map(set('false')), ...Object.entries(others).map(set(isLocal))];
    let state = hasState ? `${STATE} AS state,` : '';
    const text = () =>
      `SELECT ${SERVER}, ${isReadOnly}, ${identity}, ${state}
        CASE WHEN NOT ${isLocal} THEN ${READ_ONLY_ON_STANDBY} END,
        ARRAY[${before.join(', ')}] AS before, ARRAY[${after.join(', ')}] AS after`;
    type Row = Omit<Session, 'isPooled' | 'changed'> & { pid: number; before: string[]; after: string[] };
    const ask = (asked = identity): Promise<{ rows: unknown[] }> =>
      client.query({ text: text(), query_timeout: wait } as { text: string }).catch((error: { code?: string }) => {
        if (error.code === NO_TABLE && state) state = '';
        else if (NOT_PERMITTED.has(String(error.code)) && asked === IDENTITY) identity = IDENTITY_BY_START;
        else throw error;
        return ask();
      });
    const { rows } = await ask();
    const [{ pid, before: old, after: wanted, ...server }] = rows as [Row];
    const differing = names.map((name, i) => [name, wanted[i]] as const).filter(([, value], i) => value !== old[i]);
    return { ...server, isPooled: pid !== processID, changed: Object.fromEntries(differing) as Session['changed'] };
  };
}

/** Milliseconds between two checks on a new connection while statements are sent. Others may stay open for minutes. */
const CHECK_MS = 2000;

/** Destroys the socket, because a dead server does not respond to `end`. */
export const destroySocket = (client: ClientBase): void =>
  void (client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy();

const nameOf = ({ systemIdentifier, timeline }: Session): string =>
  timeline === 0 ? `a standby of system ${systemIdentifier}` : `timeline ${timeline} of system ${systemIdentifier}`;

function readOnlyReason({ isReadOnly, isInRecovery }: Session): string | undefined {
  if (!isReadOnly) return undefined;
  return isInRecovery ? 'it is read-only: a standby' : 'it is read-only: default_transaction_read_only is on';
}

/** Keeps all connections of the process on one server. */
export function serverIdentity(generation: () => Generation) {
  const open = new Set<ClientBase>();
  let current: { session: Session; attempt: number } | undefined;
  /** The highest timeline of the current system. */
  let timeline = 0;
  let attempts = 0;
  let dependency: Dependency | undefined;

  /** @throws Error for a server that another one has replaced */
  function accept(session: Session, attempt: number): void {
    const before = current?.session;
    const isSameSystem = before?.systemIdentifier === session.systemIdentifier;
    const isOther = before !== undefined && !(isSameSystem && before.timeline === session.timeline);
    const isAnother = isOther || (before !== undefined && before.isReadOnly !== session.isReadOnly);
    const isBehind = isSameSystem && session.timeline > 0 && session.timeline < timeline;
    if (isBehind || (isAnother && attempt < (current?.attempt ?? 0))) {
      const code = '57P01'; // as a server that shuts down
      const reason = isOther || isBehind ? `leads to ${nameOf(session)}, which has been replaced` : 'is out of date';
      throw Object.assign(new Error(`The connection ${reason}.`), { code });
    }
    if (isAnother) {
      for (const socket of open) destroySocket(socket);
      open.clear();
      const now = isOther
        ? `is ${nameOf(session)} now, no longer ${nameOf(before)}`
        : (readOnlyReason(session)?.replace('it', 'refuses writes: it') ?? 'accepts writes again');
      console.warn(`The database ${now}. All connections are replaced.`);
    }
    timeline = isSameSystem ? Math.max(timeline, session.timeline) : session.timeline;
    current = { session, attempt };
    const reason = readOnlyReason(session);
    if (reason === undefined) dependency?.back();
    else dependency?.away(reason);
  }

  return {
    /** Compares the server of each connection that `begin` begins. */
    guard:
      (begin: OnConnect): OnConnect =>
      async (client) => {
        const attempt = ++attempts;
        const session = await begin(client);
        accept(session, attempt);
        open.add(client);
        client.once('end', () => open.delete(client));
        const { systemIdentifier, state } = session;
        const query = (text: string, values?: unknown[]) => client.query(text, values);
        if (state !== undefined)
          await generation().checkServer(query, state, `${systemIdentifier}/${session.timeline}`);
        return session;
      },
    /**
     * Returns a function that each statement calls. It opens a connection unless one was compared within CHECK_MS.
     * @param isRefused true if a write was refused: compares at once unless the reason is known
     */
    checks(config: ClientConfig, onConnect: OnConnect): (isRefused?: boolean) => void {
      let dueAt = performance.now() + CHECK_MS;
      async function check(): Promise<void> {
        const client = new Client(config).on('error', () => {});
        // Requests report outages.
        await client
          .connect()
          .then(() => onConnect(client))
          .catch(() => {});
        void client.end().catch(() => {});
        dueAt = performance.now() + CHECK_MS;
      }
      return (isRefused = false) => {
        const isUnexpected = isRefused && !current?.session.isReadOnly && dueAt !== Number.POSITIVE_INFINITY;
        if (performance.now() < dueAt && !isUnexpected) return;
        dueAt = Number.POSITIVE_INFINITY;
        void check();
      };
    },
    isReadOnly: (): boolean => current?.session.isReadOnly ?? false,
    watch(server: Dependency): void {
      dependency = server;
    },
  };
}
