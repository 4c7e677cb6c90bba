import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Milliseconds that a server gets to close its connections before it is killed. */
const GRACE = 5000;

interface Supervised {
  running(): boolean;
  /**
   * Starts the server anew, once the code could be loaded: one that runs serves until then, and goes on where it could not. Does
   * nothing once `stop` was called.
   */
  restart(): Promise<void>;
  /** Passes a signal on, also a second one, and resolves to the exit code once the server is gone; 0 if none ran. */
  stop(signal: NodeJS.Signals): Promise<number>;
}

/** Runs `src/main.ts` of a project in a child process, one at a time. `say` tells of its unexpected end. */
export function supervise(root: string, say: (text: string) => void): Supervised {
  let child: ChildProcess | undefined;
  /** One whose code is being loaded. */
  let next: ChildProcess | undefined;
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

  /** @returns a process that has loaded the code and waits; undefined where it could not be loaded */
  async function loaded(): Promise<ChildProcess | undefined> {
    const preloaded = ['--import', 'tsx', '--import', new URL('./loaded-first.js', import.meta.url).href];
    const started = spawn(process.execPath, [...preloaded, join(root, 'src/main.ts')], {
      cwd: root,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // Its own process group: a Ctrl-C reaches it once, from here, and not twice.
      detached: true,
      env: { NODE_ENV: 'development', ...process.env },
    });
    next = started;
    const first = await Promise.race([once(started, 'message').then(() => started), once(started, 'exit')]);
    next = undefined;
    return first === started ? started : undefined;
  }

  function begin(started: ChildProcess): void {
    child = started;
    started.once('exit', (code, signal) => {
      child = undefined;
      if (ending === undefined) say(`The server ended (${signal ?? code}). It starts again after the next edit.`);
      ending = undefined;
    });
    started.send('begin');
  }

  return {
    running: () => child !== undefined,
    async restart() {
      if (stopped) return;
      const started = await loaded();
      if (started === undefined) {
        const meanwhile = child ? 'The last good server keeps running.' : 'The server starts once this is mended.';
        if (!stopped) say(`The code cannot be loaded. ${meanwhile}`);
        return;
      }
      await end('SIGTERM');
      if (stopped) started.kill('SIGKILL');
      else begin(started);
    },
    async stop(signal) {
      stopped = true;
      next?.kill('SIGKILL');
      return end(signal);
    },
  };
}
