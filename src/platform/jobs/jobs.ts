import { KNOWN_FOR } from '../accounts/networks.js';
import { Prisma, type PrismaClient } from '../database/client.js';
import type { Database } from '../database/open.js';
import { notify } from '../database/signals.js';

/** Rows that one statement deletes: a session may have three thousand tokens, and a statement may take four seconds. */
const BATCH_ROWS = 100;
/** Milliseconds before the first runs: a service that starts answers requests first. */
const START_DELAY_MS = 250;
/** Milliseconds between two looks for jobs that are due, in memory, and before a failed run is retried. */
const TICK = 1000;

/**
 * Work that is repeated beside the requests. The database contains what is to be done.
 * @example
 * jobs.add([{ name: 'reminders', every: 60_000, run: () => transact(remind) }]);
 */
export interface Job {
  name: string;
  /** Milliseconds from the end of one run to the next at the latest: the delay by a lost signal. */
  every: number;
  /** True if `announce` signals new work to all instances. An instance that cannot hear it looks each second. */
  announced?: boolean;
  /** Runs at a time; 1 by default. */
  atOnce?: number;
  /**
   * @param signal aborts when the service stops; the run should then end soon
   * @param more begins another run beside this one, which has found work: there may be more
   * @returns when the next work is due, in milliseconds since the epoch, if that is known
   */
  run: (signal: AbortSignal, more: () => void) => Promise<unknown>;
}

export interface JobRunner {
  /** Adds jobs, before the start. */
  add: (jobs: readonly Job[]) => void;
  start: () => void;
  /** Runs a job now, or once more when one of its runs ends. */
  wake: (name: string) => void;
  /**
   * Wakes a job on all instances when the transaction commits that adds to its work.
   * @param at when the work is due, in milliseconds since the epoch; now by default
   */
  announce: (db: Prisma.TransactionClient, name: string, at?: number) => Promise<void>;
  /** Resolves once every run has ended. */
  stop: () => Promise<void>;
}

interface JobRunnerOptions {
  /** The channel of `announce`. */
  channel: string;
  /** Hears the other instances, if there may be any. */
  listen?: Database['listen'] | undefined;
  isListening: Database['isListening'];
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Gets the error of a failed run, which is retried. */
  onFault: (job: string, error: unknown) => void;
}

interface State {
  readonly job: Job;
  running: number;
  /** Woken while the maximum of runs was under way. */
  again: boolean;
  failing: boolean;
  /** By the clock, which may be moved; and by `performance`. */
  dueAt: number;
  endedAt: number;
}

/** Runs each job when it is woken, when work is due, and at intervals. Reports the first of several failures in a row. */
export async function jobRunner({ channel, listen, isListening, now, onFault }: JobRunnerOptions): Promise<JobRunner> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const states: State[] = [];
  const runs = new Set<Promise<void>>();
  let ticking: NodeJS.Timeout | undefined;

  function begin(state: State): void {
    // The first run finds work from before the start.
    if (ticking === undefined || signal.aborted) return;
    if (state.running === (state.job.atOnce ?? 1)) {
      state.again = true;
      return;
    }
    const run = once(state).finally(() => runs.delete(run));
    runs.add(run);
  }

  async function once(state: State): Promise<void> {
    const { job } = state;
    state.running++;
    state.dueAt = Number.POSITIVE_INFINITY;
    try {
      const due = await job.run(signal, () => begin(state));
      if (typeof due === 'number') expect(state, due);
      state.failing = false;
    } catch (error) {
      if (!state.failing) onFault(job.name, error);
      state.failing = true;
      expect(state, now() + TICK);
    }
    state.running--;
    state.endedAt = performance.now();
    const again = state.again || state.dueAt <= now();
    state.again = false;
    if (again) begin(state);
  }

  const expect = (state: State, at: number) => {
    state.dueAt = Math.min(state.dueAt, at);
  };

  function tick(): void {
    for (const state of states) {
      const { every, announced } = state.job;
      const patience = announced && !isListening() ? TICK : every;
      const isLate = state.running === 0 && performance.now() - state.endedAt >= patience;
      if (isLate || state.dueAt <= now()) begin(state);
    }
  }

  const named = (name: string) => states.filter(({ job }) => job.name === name);

  const hear = (payload: string) => {
    const [name = '', at] = payload.split(' ');
    for (const state of named(name)) {
      expect(state, Number(at));
      if (state.dueAt <= now()) begin(state);
    }
  };
  /** Finds work that was announced while nothing could be heard. */
  const lookAgain = () => states.filter(({ job }) => job.announced).forEach(begin);
  await listen?.(channel, hear, lookAgain);

  return {
    add: (jobs) => {
      const idle = { running: 0, again: false, failing: false, dueAt: Number.POSITIVE_INFINITY, endedAt: 0 };
      states.push(...jobs.map((job) => ({ job, ...idle })));
    },
    start: () => {
      ticking = setInterval(tick, TICK).unref();
      setTimeout(() => states.forEach(begin), START_DELAY_MS).unref();
    },
    wake: (name) => named(name).forEach(begin),
    announce: (db, name, at = now()) => notify(db, channel, `${name} ${at}`),
    stop: async () => {
      clearInterval(ticking);
      stopping.abort();
      await Promise.all(runs);
    },
  };
}

/**
 * Deletes ended sessions with their tokens, counters of attempts after their window, and networks that were not seen for long.
 * Several instances may do it at once. Locked rows are left for the next run: a login locks several counters.
 * @param now milliseconds since the epoch
 * @returns the number of rows without tokens
 */
export async function removeExpired(client: PrismaClient, now: number): Promise<number> {
  const time = Prisma.sql`${new Date(now)}::timestamptz`;
  const unseen = Prisma.sql`${new Date(now - KNOWN_FOR)}::timestamptz`;
  const tables = [
    [Prisma.sql`sessions`, Prisma.sql`id`, Prisma.sql`expires_at <= ${time} OR revoked_at IS NOT NULL`],
    [Prisma.sql`throttles`, Prisma.sql`key`, Prisma.sql`resets_at <= ${time}`],
    [Prisma.sql`known_networks`, Prisma.sql`user_id, network`, Prisma.sql`last_seen <= ${unseen}`],
  ] as const;
  let removed = 0;
  for (const [table, key, expired] of tables) {
    const rows = Prisma.sql`SELECT ${key} FROM ${table} WHERE ${expired} LIMIT ${BATCH_ROWS}::int FOR UPDATE SKIP LOCKED`;
    let found = BATCH_ROWS;
    while (found === BATCH_ROWS) {
      found = await client.$executeRaw`DELETE FROM ${table} WHERE (${key}) IN (${rows})`;
      removed += found;
    }
  }
  return removed;
}
