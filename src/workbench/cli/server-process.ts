import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Milliseconds that a server gets to close its connections before it is killed. */
const GRACE = 5000;

export interface Supervised {
  running(): boolean;
  /** Stops the server if it runs, and starts it anew; does nothing once `stop` was called. */
  restart(): Promise<void>;
  /** Passes a signal on, also a second one, and resolves to the exit code once the server is gone; 0 if none ran. */
  stop(signal: NodeJS.Signals): Promise<number>;
}

/** Runs `src/main.ts` of a project in a child process, one at a time. `say` tells of its unexpected end. */
export function supervise(root: string, say: (text: string) => void): Supervised {
  let child: ChildProcess | undefined;
  let ending: Promise<number> | undefined;
  let stopped = false;

  async function ended(server: ChildProcess): Promise<number> {
    const kill = setTimeout(() => server.kill('SIGKILL'), GRACE);
    const [code] = (await once(server, 'exit')) as [number | null];
    clearTimeout(kill);
    return code ?? 0;
  }

  async function end(signal: NodeJS.Signals): Promise<number> {
    if (child === undefined) return 0;
    ending ??= ended(child);
    child.kill(signal);
    return ending;
  }

  function start(): void {
    const started = spawn(process.execPath, ['--import', 'tsx', join(root, 'src/main.ts')], {
      cwd: root,
      stdio: 'inherit',
      // Its own process group: a Ctrl-C reaches it once, from here, and not twice.
      detached: true,
      env: { NODE_ENV: 'development', ...process.env },
    });
    child = started;
    started.once('exit', (code, signal) => {
      child = undefined;
      if (ending === undefined) say(`The server ended (${signal ?? code}). It starts again after the next edit.`);
      ending = undefined;
    });
  }

  return {
    running: () => child !== undefined,
    async restart() {
      await end('SIGTERM');
      if (!stopped) start();
    },
    async stop(signal) {
      stopped = true;
      return end(signal);
    },
  };
}
