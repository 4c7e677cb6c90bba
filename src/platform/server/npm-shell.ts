/** Milliseconds between two looks. */
const INTERVAL = 500;

/**
 * Calls `onGone` once the shell of an npm script has gone, if npm started this process: npm sends signals to the shell only, which
 * dies without passing them on.
 */
export function whenShellGone(environment: NodeJS.ProcessEnv, onGone: () => void): void {
  if (environment['npm_lifecycle_event'] === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL);
  timer.unref();
}
