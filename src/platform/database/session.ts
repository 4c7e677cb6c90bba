/**
 * Begins the session of each new connection to a server, of every kind: one statement sets the settings that the
 * service rests on, reads them back, and identifies the server.
 * @module
 */

import type { ClientBase } from 'pg';

/** What a new connection is connected to. */
export interface Session {
  /** True if the process of the server has another id than the start of the connection said: a pooler is in between. */
  isPooled: boolean;
  /** `pg_control_system().system_identifier`, equal on a primary and its standbys. */
  systemIdentifier: string;
  /** `pg_control_checkpoint().timeline_id`, of the last checkpoint. */
  timeline: number;
  isInRecovery: boolean;
  /** True on a standby, and if `default_transaction_read_only` is on. */
  isReadOnly: boolean;
}

/** Runs on a new connection before its first use. If it rejects, the connection is closed. */
export type OnConnect = (client: ClientBase) => Promise<Session>;

/** SQL expressions of the values that the settings must have. Without them times, numbers or texts are read wrongly. */
const SETTINGS = {
  TimeZone: `'UTC'`,
  DateStyle: `'ISO, MDY'`,
  client_encoding: `'UTF8'`,
  standard_conforming_strings: `'on'`,
  bytea_output: `'hex'`,
  extra_float_digits: `'1'`,
  default_transaction_isolation: `'read committed'`,
  // Statements name tables without their schema.
  search_path: `CASE current_schema() WHEN 'public' THEN '' ELSE 'public, ' END || current_setting('search_path')`,
};

const SERVER = `pg_backend_pid() AS pid, pg_is_in_recovery() AS "isInRecovery",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  (SELECT system_identifier::text FROM pg_control_system()) AS "systemIdentifier",
  (SELECT timeline_id FROM pg_control_checkpoint()) AS timeline`;

/**
 * Returns the function that begins a session.
 * @param statementTimeout milliseconds; 0 for no limit
 * @param wait milliseconds for the answer of the server
 */
export function beginSession(statementTimeout: number, wait: number): OnConnect {
  const wanted = Object.entries({ ...SETTINGS, statement_timeout: `'${statementTimeout}'` });
  const settings = wanted.map(([name, value]) => `set_config('${name}', ${value}, false)`);
  const config = { text: `SELECT ${SERVER}, ARRAY[${settings.join(', ')}] AS settings`, query_timeout: wait };
  return async (client) => {
    const { rows } = await client.query<Session & { pid: number; settings: string[] }>(config);
    const [{ pid, settings: _, ...server }] = rows as [(typeof rows)[0]];
    return { ...server, isPooled: pid !== (client as unknown as { processID: number }).processID };
  };
}
