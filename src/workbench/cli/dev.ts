import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join, relative, resolve } from 'node:path';
import type { Subcommand } from '@accord-api/platform/cli/output';
import { whenShellGone } from '@accord-api/platform/npm-shell';
import { watch } from 'chokidar';
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
    const started = fork(join(root, 'src/main.ts'), {
      cwd: root,
      execArgv: imports,
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

/**
 * Calls `onEdit` at first, and after each burst of edits of the contracts or of `src/`. Calls do not overlap: edits during a call cause
 * another one.
 * @param parts returns further files of the contracts, which need not exist
 */
function watchProject(root: string, parts: () => readonly string[], onEdit: (isContract: boolean) => Promise<void>) {
  const edited = new Set<string>(CONTRACTS);
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  const contracts = () => [...CONTRACTS, ...parts()];
  const isContract = (path: string): boolean => /^schema\/.*\.graphql$/.test(path) || contracts().includes(path);
  const isWatched = (path: string): boolean =>
    /^((src|schema)(\/|$)|$)/.test(path) || contracts().some((file) => `${file}/`.startsWith(`${path}/`));
  const pathOf = (name: string) => relative(root, resolve(root, name)).replaceAll('\\', '/');

  const watcher = watch('.', { cwd: root, ignoreInitial: true, ignored: (name) => !isWatched(pathOf(name)) });
  watcher.once('ready', deliver);
  watcher.on('all', (_event, name) => {
    const path = pathOf(name);
    if (!isContract(path) && !/^src\/.*\.(ts|js)$/.test(path)) return;
    edited.add(path);
    clearTimeout(timer);
    timer = setTimeout(deliver, EDIT_DEBOUNCE_MS);
  });

  async function deliver(): Promise<void> {
    if (isBusy || watcher.closed || edited.size === 0) return;
    isBusy = true;
    const isOfContract = [...edited].some(isContract);
    edited.clear();
    await onEdit(isOfContract).finally(() => {
      isBusy = false;
    });
    // A new part may be in a folder that was ignored before.
    if (!watcher.closed) watcher.add(contracts());
    await deliver();
  }

  return () => {
    clearTimeout(timer);
    return watcher.close();
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
        const { ok, report } = await generate(contracts, { root });
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

    const stopWatching = watchProject(root, () => parts, update);

    const stop = async (signal: NodeJS.Signals) => {
      void stopWatching();
      process.exitCode ??= await server.stop(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    whenShellGone(process.env, () => stop('SIGTERM'));
  });
};

export default dev;
