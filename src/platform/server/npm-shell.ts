/** Milliseconds between two looks. */
const INTERVAL = 500;

/**
 * npm runs a script in a shell and passes signals to that shell only, which dies of them without a word to its child.
 * Calls `onGone` once when this process was started so and its shell has gone. Started otherwise, it never does.
 * @param environment tells who started the process
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
