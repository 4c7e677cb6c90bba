import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/** Milliseconds without another event before an edit counts as done: an editor saves in several steps. */
const QUIET = 100;

/** What is generated from in every project; an edit of anything else that is watched only restarts. */
const CONTRACTS = ['openapi.yaml', 'schema.graphql', 'codegen.ts', 'prisma/schema.prisma'];
const SDL_PARTS = /^schema(\/.*\.graphql)?$/;

interface Edit {
  /** Whether something was edited that code is generated from. */
  contract: boolean;
}

interface Watcher {
  /** Says which files the contracts are in besides, be they there or not. */
  alsoContracts: (files: readonly string[]) => void;
  close: () => void;
}

/**
 * Calls `onEdit` after each burst of edits in a project's contracts and `src/`, never twice at once: what is edited in
 * the meantime is one more call afterwards. Folders are watched, not files, so a file that an editor replaces on saving
 * stays watched.
 */
export function watchProject(root: string, onEdit: (edit: Edit) => Promise<void>): Watcher {
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
    const contract = [...edited].some(isContract);
    edited.clear();
    await onEdit({ contract }).finally(() => {
      busy = false;
    });
    await deliver();
  }

  const note = (path: string) => {
    if (!isContract(path) && !/^src\/.*\.(ts|js)$/.test(path)) return;
    edited.add(path);
    clearTimeout(timer);
    timer = setTimeout(deliver, QUIET);
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
    alsoContracts(files) {
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
