import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { whenShellGone } from '@accord-api/platform/npm-shell';
import { generate } from '../generate/generate.js';
import { readContracts } from '../model/contracts.js';

const say = (text: string) => console.error(`[dev] ${text}`);

/** The time that a server has to close its connections before it is killed. */
const CLOSE_TIMEOUT_MS = 5000;

/** Runs `src/main.ts` of a project in a child process, one at a time. */
function superviseServer(root: string) {
  let current: ChildProcess | undefined;
  let loading: ChildProcess | undefined;
  let isEnding = false;
  let isStopped = false;

  /** Ends the running server, and resolves to its exit code; 0 if none runs. */
  async function end(signal: NodeJS.Signals): Promise<number> {
    if (current === undefined) return 0;
    const server = current;
    isEnding = true;
    server.kill(signal);
    const timer = setTimeout(() => server.kill('SIGKILL'), CLOSE_TIMEOUT_MS);
    const [code] = (await once(server, 'exit')) as [number | null];
    clearTimeout(timer);
    return code ?? 0;
  }

  /** Returns a process that has loaded the code and waits; undefined if the code cannot be loaded. */
  async function load(): Promise<ChildProcess | undefined> {
    const imports = ['--import', 'tsx', '--import', new URL('./preload-application.js', import.meta.url).href];
    const started = spawn(process.execPath, [...imports, join(root, 'src/main.ts')], {
      cwd: root,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // In its own process group, the server gets the signal of Ctrl-C from `stop` only.
      detached: true,
      env: { NODE_ENV: 'development', ...process.env },
    });
    loading = started;
    const isLoaded = await Promise.race([
      once(started, 'message').then(() => true),
      once(started, 'exit').then(() => false),
    ]);
    loading = undefined;
    return isLoaded ? started : undefined;
  }

  return {
    isRunning: () => current !== undefined,
    /** Starts a new server when its code is loaded. The old server serves until then, and keeps running if the code cannot be loaded. */
    async restart(): Promise<void> {
      if (isStopped) return;
      const started = await load();
      if (started === undefined) {
        const then = current ? 'The last good server keeps running.' : 'The server starts after the next correct edit.';
        if (!isStopped) say(`The code cannot be loaded. ${then}`);
        return;
      }
      await end('SIGTERM');
      if (isStopped) {
        started.kill('SIGKILL');
        return;
      }
      current = started;
      started.once('exit', (code, signal) => {
        if (!isEnding) say(`The server ended (${signal ?? code}). It starts again after the next edit.`);
        current = undefined;
        isEnding = false;
      });
      started.send('begin');
    },
    /** Passes a signal on, also a second one. Resolves to the exit code of the server. */
    async stop(signal: NodeJS.Signals): Promise<number> {
      isStopped = true;
      loading?.kill('SIGKILL');
      return end(signal);
    },
  };
}

/** The time without another event after which an edit is complete: an editor saves in several steps. */
const EDIT_DEBOUNCE_MS = 100;

/** The sources of code generation in every project. */
const CONTRACTS = ['openapi.yaml', 'schema.graphql', 'codegen.ts', 'prisma/schema.prisma'];

const foldersOf = (path: string): string[] => (path === '.' ? [''] : [path, ...foldersOf(dirname(path))]);

/**
 * Calls `onEdit` after each burst of edits of the contracts or of `src/`. Calls do not overlap: edits during a call cause another one.
 * Watches folders, because an editor may replace a file when it saves.
 * @param parts returns further files of the contracts, which need not exist
 */
function watchProject(root: string, parts: () => readonly string[], onEdit: (isContract: boolean) => Promise<void>) {
  const edited = new Set<string>();
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isClosed = false;
  const contracts = () => [...CONTRACTS, ...parts()];

  /** A folder of a contract may be new. */
  const isContract = (path: string): boolean =>
    /^schema(\/.*\.graphql)?$/.test(path) || contracts().some((file) => file === path || file.startsWith(`${path}/`));

  function note(path: string): void {
    if (!isContract(path) && !/^src\/.*\.(ts|js)$/.test(path)) return;
    edited.add(path);
    clearTimeout(timer);
    timer = setTimeout(deliver, EDIT_DEBOUNCE_MS);
  }

  async function deliver(): Promise<void> {
    if (isBusy || isClosed || edited.size === 0) return;
    isBusy = true;
    const isOfContract = [...edited].some(isContract);
    edited.clear();
    await onEdit(isOfContract).finally(() => {
      isBusy = false;
    });
    watchFolders();
    await deliver();
  }

  /** Keeps the watchers of folders that exist, because a new watcher misses the edits before it. */
  function watchFolders(): void {
    if (isClosed) return;
    const recursive = ['src', 'schema'];
    for (const folder of new Set([...recursive, ...contracts().flatMap((file) => foldersOf(dirname(file)))])) {
      if (!existsSync(join(root, folder))) {
        watchers.get(folder)?.close();
        watchers.delete(folder);
      } else if (!watchers.has(folder)) {
        const prefix = folder === '' ? '' : `${folder}/`;
        const watcher = watch(join(root, folder), { recursive: recursive.includes(folder) }, (_event, file) =>
          note(prefix + String(file).replaceAll('\\', '/')),
        );
        watchers.set(folder, watcher);
      }
    }
  }
  watchFolders();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/**
 * Generates after an edit of a contract, and restarts the server after an edit of the code. While a contract is invalid, prints its
 * errors, and the last good server keeps running: a new one would read the invalid contract.
 */
const dev: Subcommand = (command) => {
  command.action(async () => {
    const { root } = command.optsWithGlobals<{ root: string }>();
    const server = superviseServer(root);
    let parts: readonly string[] = [];
    let isValid = false;

    async function regenerate(): Promise<void> {
      try {
        const contracts = await readContracts(root);
        parts = contracts.openapi.files;
        const { ok, report } = await generate(contracts, { root, colour: process.stderr.isTTY });
        isValid = ok;
        say(report.trimStart());
      } catch (error) {
        isValid = false;
        say((error as Error).message);
      }
    }

    async function update(isContract: boolean): Promise<void> {
      if (isContract) await regenerate();
      if (isValid) await server.restart();
      else if (server.isRunning()) say('The last good server keeps running.');
      else say('The server starts after the next correct edit.');
    }

    await update(true);
    const watcher = watchProject(root, () => parts, update);

    const stop = async (signal: NodeJS.Signals) => {
      watcher.close();
      process.exitCode ??= await server.stop(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    whenShellGone(process.env, () => stop('SIGTERM'));
  });
};

export default dev;
