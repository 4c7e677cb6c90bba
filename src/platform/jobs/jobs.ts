/** Work that is done again and again beside the requests. What it has to do stands in the database, not in memory. */
export interface Job {
  name: string;
  /** Milliseconds from the end of one run to the next, unless it is woken. */
  every: number;
  /** @param signal is aborted when the service stops; the run should then end soon */
  run: (signal: AbortSignal) => Promise<unknown>;
}

export interface JobRunner {
  /** Takes jobs in, before the start. */
  add: (jobs: readonly Job[]) => void;
  start: () => void;
  /** Runs a job now, or once more as soon as its present run ends. */
  wake: (name: string) => void;
  /** Resolves once every run has ended. */
  stop: () => Promise<void>;
}

/** Runs each job in a loop of its own. The first of several runs that fail is reported, and the loop goes on. */
export function jobRunner(onFault: (job: string, error: unknown) => void): JobRunner {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops: { job: Job; woken: boolean; resume: () => void }[] = [];
  let running: Promise<void>[] = [];

  const pause = (loop: (typeof loops)[number]): Promise<void> =>
    new Promise((resolve) => {
      if (loop.woken || signal.aborted) return resolve();
      const timer = setTimeout(resolve, loop.job.every).unref();
      loop.resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function repeat(loop: (typeof loops)[number]): Promise<void> {
    let failing = false;
    while (!signal.aborted) {
      loop.woken = false;
      try {
        await loop.job.run(signal);
        failing = false;
      } catch (error) {
        if (!failing) onFault(loop.job.name, error);
        failing = true;
      }
      await pause(loop);
    }
  }

  const resume = (loop: (typeof loops)[number]) => {
    loop.woken = true;
    loop.resume();
  };

  return {
    add: (jobs) => void loops.push(...jobs.map((job) => ({ job, woken: false, resume: () => {} }))),
    start: () => {
      running = loops.map(repeat);
    },
    wake: (name) => loops.filter(({ job }) => job.name === name).forEach(resume),
    stop: async () => {
      stopping.abort();
      loops.forEach(resume);
      await Promise.all(running);
    },
  };
}
