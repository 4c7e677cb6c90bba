/**
 * Lets calls that come while the work is running share one more run. Each call gets the result of a run that began after it,
 * so nobody is told what was true before the question.
 */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      const run = work();
      next = undefined;
      running = run.catch(() => {});
      return run;
    });
    return next;
  };
}
