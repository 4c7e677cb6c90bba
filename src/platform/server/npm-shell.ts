/** Milliseconds. */
const CHECK_INTERVAL_MS = 500;

/** Calls `onGone` when the shell of an npm script has gone. npm signals only the shell. */
export function whenShellGone(environment: NodeJS.ProcessEnv, onGone: () => void): void {
  if (environment['npm_lifecycle_event'] === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
