/**
 * Notices that the database went back to an earlier state: a restored backup, or a promoted standby that lacks the last
 * rows. A counter in the table `database_state` rises with the writes. A process that reads a lower counter than before
 * draws a new generation, which is part of tokens, entity tags and cursors (docs/decisions.md, "Database").
 * @module
 */

import { randomBytes } from 'node:crypto';
import { listeners } from '../core/calls/schedulers.js';

/** Belongs to the database, for all applications that use it (`namesOf`). */
export const GENERATION_CHANNEL = 'accord_generation';
const BEAT_MS = 1000;
/** SQLSTATE of a missing table. */
export const NO_TABLE = '42P01';
const EMBEDDED = 'embedded';
/** Begins the name of a server that is known by the time of its start only. A restart loses nothing. */
export const BY_START = 'start ';
/** More than all beats of a generation, so that the counter of a new one is the highest. */
const JUMP = 2 ** 32;
/** The time after a new generation in which a command is about the same restore. */
const SAME_RESTORE = '1 hour';

export interface State {
  generation: string | null;
  counter: number;
  /** The server that the row was last used on. */
  server: string;
  /** False in a table that a dump was restored into. */
  isOriginal: boolean;
}

/** The columns of a state, of numbers that JSON can hold. */
const COLUMNS = `generation, counter::float8 AS counter, server, relation = tableoid AS "isOriginal"`;
const READ = `SELECT ${COLUMNS} FROM public.database_state WHERE id = 1`;
/** An SQL expression of the state as JSON; null without a row. */
export const STATE = `(SELECT to_json(state) FROM (${READ}) state)`;
/** Raises the counter if a transaction has written on the server since the last beat, or is going to. */
const BEAT = `WITH beat AS (UPDATE public.database_state SET counter = counter + 1, beat = pg_current_xact_id()::text::bigint
  WHERE id = 1 AND pg_current_snapshot()::text <> format('%s:%1$s:', beat + 1) RETURNING ${COLUMNS})
  SELECT * FROM beat`;

/**
 * Stores the server ($1), and draws the generation $3 if the counter is lower than $2, if the table is a restored one, or
 * if the last one is older than $4. The lock of the row decides which of several instances does it. Inserts a missing row.
 * Leaves out ids after a restore, and after the change to another server, which may lack rows of a second.
 */
const WENT_BACK = `(s.counter < $2::bigint OR s.relation <> excluded.relation
  OR coalesce(s.drawn_at, '-infinity') < now() - $4::interval)`;
const IS_LATER = '($2::bigint > 0 OR $4::interval IS NOT NULL)';
const SETTLE = `WITH state AS (
  INSERT INTO public.database_state AS s (id, server, relation, generation, counter, drawn_at)
  SELECT 1, $1, 'public.database_state'::regclass, CASE WHEN ${IS_LATER} THEN $3 END,
    CASE WHEN ${IS_LATER} THEN $2::bigint + ${JUMP} ELSE 0 END, CASE WHEN ${IS_LATER} THEN now() END
  ON CONFLICT (id) DO UPDATE SET server = excluded.server, relation = excluded.relation,
    generation = CASE WHEN ${WENT_BACK} THEN $3 ELSE s.generation END,
    counter = CASE WHEN ${WENT_BACK} THEN greatest(s.counter, $2::bigint) + ${JUMP} ELSE s.counter END,
    drawn_at = CASE WHEN ${WENT_BACK} THEN now() ELSE s.drawn_at END
  WHERE s.server <> excluded.server OR ${WENT_BACK}
  RETURNING generation IS NOT DISTINCT FROM $3 AS drawn, xmax = 0 AS inserted
), sequences AS (
  SELECT CASE WHEN has_sequence_privilege(name, 'UPDATE')
    THEN setval(name, last + CASE WHEN drawn THEN least(1000000, rest / 2) ELSE least(100000, rest / 1000) END) END AS value
  FROM state, pg_sequences, LATERAL (SELECT coalesce(last_value, start_value) AS last) one, LATERAL (SELECT max_value - last AS rest,
    format('%I.%I', schemaname, sequencename)::regclass AS name) two
  WHERE (drawn OR NOT (inserted OR starts_with($1, '${BY_START}'))) AND schemaname = ANY (current_schemas(false)) AND increment_by > 0
), audited AS (INSERT INTO audit_events (event) SELECT 'database.restored' FROM state WHERE drawn)
SELECT drawn, (SELECT count(value)::int FROM sequences) AS raised, (SELECT count(*)::int FROM sequences) AS found,
  CASE WHEN drawn THEN pg_notify('${GENERATION_CHANNEL}', '')::text END FROM state`;

type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

export type Generation = ReturnType<typeof databaseGeneration>;

/** @param query runs a statement on any connection */
export function databaseGeneration(query: Query, isReadOnly: () => boolean) {
  const replaced = listeners<'server' | 'generation'>();
  let current: string | undefined;
  /** The highest counter; undefined before the first read. */
  let seen: number | undefined;
  let lastServer: string | undefined;
  let isDue = true;
  let isOwn = false;
  // Refreshed instead of created anew, so that it belongs to no request.
  const timer = setTimeout(() => void beat(), BEAT_MS).unref();

  function apply({ generation, counter }: Pick<State, 'generation' | 'counter'>): void {
    // A standby may lag behind. Its promotion is noticed.
    if (counter < (seen ?? 0)) return;
    const isAnother = seen !== undefined && current !== (generation ?? undefined);
    seen = counter;
    current = generation ?? undefined;
    if (isAnother) replaced.emit('generation');
  }

  async function settle(on: Query, server: string, olderThan?: string) {
    const values = [server, seen ?? 0, randomBytes(6).toString('hex'), olderThan];
    const [settled] = (await on(SETTLE, values)).rows as { drawn: boolean; raised: number; found: number }[];
    if (settled?.drawn) console.warn('The database went back to an earlier state, and has a new generation.');
    if (settled && settled.raised < settled.found)
      console.error(
        `Ids may be given again: the role needs UPDATE on ${settled.found - settled.raised} sequences. Grant it, and run \`accord database restored --again\`.`,
      );
    const [state] = (await on(READ)).rows as State[];
    if (state) apply(state);
    return settled;
  }

  async function check(on: Query, state: State | null | undefined, of?: string): Promise<void> {
    const server = of ?? state?.server ?? lastServer;
    // The embedded database is stored without a row.
    const isNew = !state && server === undefined && !seen;
    const isCurrent = isNew || (state?.isOriginal && state.server === server && state.counter >= (seen ?? 0));
    if (!isCurrent && !isReadOnly()) await settle(on, server ?? EMBEDDED);
    else if (state || isNew) apply(state ?? { generation: null, counter: 0 });
  }

  const own: Query = (text, values) => {
    isOwn = true;
    return query(text, values).catch((error: unknown) => {
      isOwn = false; // it may have got no connection
      throw error;
    });
  };
  async function read(): Promise<void> {
    const { rows } = await own(READ);
    await check(own, rows[0] as State | undefined);
  }

  async function beat(): Promise<void> {
    isDue = false;
    try {
      const [state] = isReadOnly() ? [] : ((await own(BEAT)).rows as State[]);
      await (state ? check(own, state) : read());
    } catch (error) {
      // Requests report outages. A table that is missing stays missing.
      if ((error as { code?: string }).code !== NO_TABLE) touch();
    }
  }

  /** Lets the next beat come within a second. The use of a connection for the beat itself does not count. */
  function touch(): void {
    if (!isDue && !isOwn) {
      isDue = true;
      timer.refresh();
    }
    isOwn = false;
  }

  return {
    current: (): string | undefined => current,
    /** Calls the listener with what has changed: another server may lack the last rows. Returns a function that removes it. */
    onReplaced: replaced.add,
    touch,
    /** Runs a statement that causes no beat. */
    own,
    /** Reads the row. Without the table, because the project lacks the migration, there is no generation. */
    read: () =>
      read().catch((error: { code?: string }) => {
        if (error.code !== NO_TABLE) throw error;
      }),
    /** Reads the row on a new connection, before the first statement of a caller. */
    async checkServer(on: Query, state: State | null | undefined, server: string): Promise<void> {
      await check(on, state, server);
      if (lastServer !== undefined && lastServer !== server) replaced.emit('server');
      lastServer = server;
    },
    /** Draws a generation, unless this restore has been noticed. @param again draws it even then */
    restored: (again: boolean) => settle(query, lastServer ?? EMBEDDED, again ? '0' : SAME_RESTORE),
    close(): void {
      clearTimeout(timer);
      isDue = true; // a refreshed timer would run again
    },
  };
}
