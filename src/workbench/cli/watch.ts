import { existsSync, type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds without another event before an edit counts as done: an editor saves in several steps. */
const QUIET = 100;

/** What is generated from; an edit of anything else that is watched only restarts. */
const CONTRACTS = new Set(['openapi.yaml', 'schema.graphql', 'codegen.ts', 'prisma/schema.prisma']);

export interface Edit {
  /** Whether something was edited that code is generated from. */
  contract: boolean;
}

/**
 * Calls `onEdit` after each burst of edits in a project's contracts and `src/`, never twice at once: what is edited in
 * the meantime is one more call afterwards. Folders are watched, not files, so a file that an editor replaces on saving
 * stays watched.
 */
export function watchProject(root: string, onEdit: (edit: Edit) => Promise<void>): { close(): void } {
  const edited = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  let closed = false;

  async function deliver(): Promise<void> {
    if (busy || closed || edited.size === 0) return;
    busy = true;
    const contract = [...edited].some((path) => CONTRACTS.has(path));
    edited.clear();
    await onEdit({ contract }).finally(() => {
      busy = false;
    });
    await deliver();
  }

  const note = (path: string) => {
    if (!CONTRACTS.has(path) && !/^src\/.*\.(ts|js)$/.test(path)) return;
    edited.add(path);
    clearTimeout(timer);
    timer = setTimeout(deliver, QUIET);
  };

  const folder = (name: string, recursive: boolean): FSWatcher[] => {
    const path = join(root, name);
    if (!existsSync(path)) return [];
    const prefix = name === '' ? '' : `${name}/`;
    return [watch(path, { recursive }, (_event, file) => note(prefix + String(file).replaceAll('\\', '/')))];
  };

  const watchers = [...folder('', false), ...folder('prisma', false), ...folder('src', true)];
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
