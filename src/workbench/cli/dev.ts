import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { whenShellGone } from '@accord-api/platform/npm-shell';
import { generate, type Outcome } from '../generate/generate.js';
import { readContracts } from '../model/contracts.js';

const say = (text: string) => console.error(`[dev] ${text}`);

/** The time that a server has to close its connections before it is killed. */
const CLOSE_TIMEOUT_MS = 5000;

/** Runs `src/main.ts` of a project in a child process, one at a time. */
function supervise(root: string) {
  let child: ChildProcess | undefined;
  /** One whose code is being loaded. */
  let next: ChildProcess | undefined;
  let ending: Promise<number> | undefined;
  let stopped = false;

  async function ended(server: ChildProcess): Promise<number> {
    const kill = setTimeout(() => server.kill('SIGKILL'), CLOSE_TIMEOUT_MS);
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
    /** Starts a new server once its code is loaded. The old one serves until then, and goes on if the code cannot be loaded. */
    async restart(): Promise<void> {
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
    /** Passes a signal on, also a second one, and resolves to the exit code; 0 if no server runs. */
    async stop(signal: NodeJS.Signals): Promise<number> {
      stopped = true;
      next?.kill('SIGKILL');
      return end(signal);
    },
  };
}

/** The time without another event after which an edit is done: an editor saves in several steps. */
const EDIT_DEBOUNCE_MS = 100;

/** What is generated from in every project; an edit of anything else that is watched only restarts. */
const CONTRACTS = ['openapi.yaml', 'schema.graphql', 'codegen.ts', 'prisma/schema.prisma'];
const SDL_PARTS = /^schema(\/.*\.graphql)?$/;

/**
 * Calls `onEdit` after each burst of edits in a project's contracts and `src/`, never twice at once: what is edited in
 * the meantime is one more call afterwards. Folders are watched, not files, so a file that an editor replaces on saving
 * stays watched.
 */
function watchProject(root: string, onEdit: (isContract: boolean) => Promise<void>) {
  let contracts: readonly string[] = CONTRACTS;
  const edited = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  let closed = false;

  // A folder is that of a contract, too: it may only now be there.
  const isContract = (path: string): boolean =>
    SDL_PARTS.test(path) || contracts.some((file) => file === path || file.startsWith(`${path}/`));

  async function deliver(): Promise<void> {
    if (busy || closed || edited.size === 0) return;
    busy = true;
    const ofContract = [...edited].some(isContract);
    edited.clear();
    await onEdit(ofContract).finally(() => {
      busy = false;
    });
    await deliver();
  }

  const note = (path: string) => {
    if (!isContract(path) && !/^src\/.*\.(ts|js)$/.test(path)) return;
    edited.add(path);
    clearTimeout(timer);
    timer = setTimeout(deliver, EDIT_DEBOUNCE_MS);
  };

  const watchers = new Map<string, FSWatcher>();
  const folder = (name: string, recursive: boolean): void => {
    const path = join(root, name);
    if (closed) return;
    if (!existsSync(path)) {
      watchers.get(name)?.close();
      watchers.delete(name);
      return;
    }
    if (watchers.has(name)) return;
    const prefix = name === '' ? '' : `${name}/`;
    const watcher = watch(path, { recursive }, (_event, file) => note(prefix + String(file).replaceAll('\\', '/')));
    watchers.set(name, watcher);
  };

  function watchFolders(): void {
    for (const name of ['', 'prisma']) folder(name, false);
    for (const name of ['src', 'schema']) folder(name, true);
    for (const file of contracts) {
      for (let name = dirname(file); name !== '.'; name = dirname(name)) folder(name, false);
    }
  }
  watchFolders();
  return {
    /** Adds the files of the contracts, which need not exist. */
    alsoContracts(files: readonly string[]) {
      contracts = [...new Set([...CONTRACTS, ...files])];
      watchFolders();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/**
 * `accord dev`: generates upon an edit of a contract, and restarts the server upon an edit of the code. While a contract
 * is broken its errors are printed and the last good server keeps running; it is not restarted either, since it would
 * read the broken contract.
 */
const dev: Subcommand = (command) => {
  command.action(async () => {
    const root = resolve(command.optsWithGlobals<{ root: string }>().root);
    const server = supervise(root);

    const regenerate = async (): Promise<Outcome> => {
      const failed = (error: Error): Outcome => ({
        ok: false,
        report: String(error.message),
        problems: [],
        changed: [],
        files: {},
      });
      const outcome = await readContracts(root)
        .then((contracts) => {
          files = contracts.openapi.files;
          return generate(contracts, { root, colour: process.stderr.isTTY });
        })
        .catch(failed);
      say(outcome.report.trimStart());
      return outcome;
    };

    let files: readonly string[] = [];
    let sound = (await regenerate()).ok;
    if (sound) await server.restart();

    const watcher = watchProject(root, async (isContract) => {
      if (isContract) {
        sound = (await regenerate()).ok;
        watcher.alsoContracts(files);
      }
      if (sound) await server.restart();
      else say(server.running() ? 'The last good server keeps running.' : 'The server starts once this is mended.');
    });

    watcher.alsoContracts(files);

    const stop = async (signal: NodeJS.Signals) => {
      watcher.close();
      process.exitCode ??= await server.stop(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    whenShellGone(process.env, () => stop('SIGTERM'));
  });
};

export default dev;
