import type { Part } from '../../core/application.js';
import type { Job, Seams } from '../../core/part.js';
import type { Database } from '../../database/open.js';
import { notify } from '../../database/signals.js';

/** Lets a starting service answer requests first. */
const START_DELAY_MS = 250;
/** Milliseconds between checks for due jobs, and before a failed run is retried. */
const TICK_MS = 1000;

interface JobRunnerOptions {
  /** The channel of `announce`. */
  channel: string;
  listen?: Database['listen'] | undefined;
  isListening: Database['isListening'];
  now: () => number;
  /** Gets the error of a failed run, which is retried. */
  onFault: (job: string, error: unknown) => void;
}

interface State {
  readonly job: Job;
  running: number;
  /** True if a run was requested at the limit of simultaneous runs. */
  isRunRequested: boolean;
  isFailing: boolean;
  /** Milliseconds since the epoch; `endedAt` by `performance`. */
  dueAt: number;
  endedAt: number;
}

/** Runs jobs when they are woken or due, and at intervals. Reports the first of consecutive failures. */
export async function jobRunner({
  channel,
  listen,
  isListening,
  now,
  onFault,
}: JobRunnerOptions): Promise<Seams['jobs'] & { start: () => void; stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const states: State[] = [];
  const runs = new Set<Promise<void>>();
  let ticking: NodeJS.Timeout | undefined;

  function startRun(state: State): void {
    // The first run after `start` finds this work.
    if (ticking === undefined || signal.aborted) return;
    if (state.running === (state.job.concurrency ?? 1)) {
      state.isRunRequested = true;
      return;
    }
    const promise = run(state).finally(() => runs.delete(promise));
    runs.add(promise);
  }

  async function run(state: State): Promise<void> {
    const { job } = state;
    state.running++;
    state.dueAt = Number.POSITIVE_INFINITY;
    try {
      const due = await job.run(signal, () => startRun(state));
      if (typeof due === 'number') schedule(state, due);
      state.isFailing = false;
    } catch (error) {
      if (!state.isFailing) onFault(job.name, error);
      state.isFailing = true;
      schedule(state, now() + TICK_MS);
    }
    state.running--;
    state.endedAt = performance.now();
    const again = state.isRunRequested || state.dueAt <= now();
    state.isRunRequested = false;
    if (again) startRun(state);
  }

  const schedule = (state: State, at: number) => {
    state.dueAt = Math.min(state.dueAt, at);
  };

  function tick(): void {
    for (const state of states) {
      const { every, announced } = state.job;
      const maxInterval = announced && !isListening() ? TICK_MS : every;
      const isLate = state.running === 0 && performance.now() - state.endedAt >= maxInterval;
      if (isLate || state.dueAt <= now()) startRun(state);
    }
  }

  const statesOf = (name: string) => states.filter(({ job }) => job.name === name);

  const onAnnouncement = (payload: string) => {
    const [name = '', at] = payload.split(' ');
    for (const state of statesOf(name)) {
      schedule(state, Number(at));
      if (state.dueAt <= now()) startRun(state);
    }
  };
  /** Runs jobs whose signals may have been missed. */
  const startAnnouncedJobs = () => states.filter(({ job }) => job.announced).forEach(startRun);
  await listen?.(channel, onAnnouncement, startAnnouncedJobs);

  return {
    add: (jobs) => {
      const idle = { running: 0, isRunRequested: false, isFailing: false, dueAt: Number.POSITIVE_INFINITY, endedAt: 0 };
      states.push(...jobs.map((job) => ({ job, ...idle })));
    },
    start: () => {
      ticking = setInterval(tick, TICK_MS).unref();
      setTimeout(() => states.forEach(startRun), START_DELAY_MS).unref();
    },
    wake: (name) => statesOf(name).forEach(startRun),
    announce: (tx, name, at = now()) => notify(tx, channel, `${name} ${at}`),
    stop: async () => {
      clearInterval(ticking);
      stopping.abort();
      await Promise.all(runs);
    },
  };
}

/** Runs background work, on each instance that finds it due. */
export const jobs = (): Part<'jobs'> => ({
  name: 'jobs',
  async open({ app, core, database: { listen, isListening }, now, report }) {
    const runner = await jobRunner({
      channel: core.names.signals.jobs,
      listen,
      isListening,
      now,
      onFault: (job, error) => report({ job }, error, 'a background job failed'),
    });
    app.addHook('onReady', async () => runner.start());
    app.addHook('preClose', runner.stop);
    return { stages: {}, seam: runner };
  },
});
