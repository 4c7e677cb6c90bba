import type { Prisma } from '../database/client.js';
import { notify } from '../database/notify.js';
import type { Database } from '../database/open.js';

/** Milliseconds before the first runs: a service that starts answers requests first. */
const START_DELAY_MS = 250;
/** Milliseconds between two looks at the clock, in memory: whether something is due. Also until what failed is tried again. */
const TICK = 1000;

/**
 * Work that is done again and again beside the requests. What it has to do stands in the database, not in memory.
 * @example
 * jobs.add([{ name: 'reminders', every: 60_000, run: () => transact(remind) }]);
 */
export interface Job {
  name: string;
  /** Milliseconds from the end of one run to the next at the latest: so long may a signal that got lost hold work up. */
  every: number;
  /** Whether instances tell each other of new work by `announce`. Where that cannot be heard, it is looked for each second. */
  announced?: boolean;
  /** The most runs at a time; 1. */
  atOnce?: number;
  /**
   * @param signal is aborted when the service stops; the run should then end soon
   * @param more begins another run beside this one, which has found something to do: there may be more
   * @returns when there is something to do again, in milliseconds since the epoch, where that is known
   */
  run: (signal: AbortSignal, more: () => void) => Promise<unknown>;
}

export interface JobRunner {
  /** Takes jobs in, before the start. */
  add: (jobs: readonly Job[]) => void;
  start: () => void;
  /** Runs a job now, or once more as soon as one of its present runs ends. */
  wake: (name: string) => void;
  /**
   * Wakes a job on all instances when the transaction commits that adds to its work.
   * @param at when there is something to do, in milliseconds since the epoch; at once
   */
  announce: (db: Prisma.TransactionClient, name: string, at?: number) => Promise<void>;
  /** Resolves once every run has ended. */
  stop: () => Promise<void>;
}

interface JobRunnerOptions {
  /** The channel of `announce`. */
  channel: string;
  /** Hears the other instances; left out where there is nobody to hear. */
  listen?: Database['listen'] | undefined;
  /** Whether they are heard at present. */
  isHearing: Database['isHearing'];
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Told of a run that failed; it is tried again. */
  onFault: (job: string, error: unknown) => void;
}

interface State {
  readonly job: Job;
  running: number;
  /** Woken while as many ran as may. */
  again: boolean;
  failing: boolean;
  /** By the clock, which a test or an operator may move; and by the time that has passed since the last run. */
  dueAt: number;
  endedAt: number;
}

/**
 * Runs each job when it is told to, when something is due, and now and then. Nobody is asked meanwhile. The first of several
 * runs that fail is reported.
 */
export async function jobRunner({ channel, listen, isHearing, now, onFault }: JobRunnerOptions): Promise<JobRunner> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const states: State[] = [];
  const runs = new Set<Promise<void>>();
  let ticking: NodeJS.Timeout | undefined;

  function begin(state: State): void {
    // What is added before the start is found by the first run.
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
      const patience = announced && !isHearing() ? TICK : every;
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
  /** What was announced while nothing could be heard. */
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
