import { execFile, execFileSync } from 'node:child_process';
import { normalize } from 'node:path/posix';
import { promisify } from 'node:util';
import type { ProjectFiles } from '@accord-api/platform/contract/project-files';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Returns the output of git in a directory. Rejects if git fails, or is not installed. */
export const git = async (root: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: MAX_OUTPUT_BYTES })).stdout;

export interface Commit {
  label: string;
  id: string;
}

/** There is no such commit or no repository. The message is for the user. */
export class NoSuchCommit extends Error {
  override readonly name = 'NoSuchCommit';
}

async function defaultRef(root: string): Promise<{ ref: string; label: string }> {
  const base = await git(root, 'merge-base', 'HEAD', 'origin/main').catch(() => undefined);
  if (base === undefined) return { ref: 'HEAD', label: 'HEAD' };
  return { ref: base.trim(), label: `${base.slice(0, 7)}, where this branch left origin/main` };
}

/** Returns the commit that a git ref names; by default the merge base with origin/main, or HEAD. Rejects with NoSuchCommit. */
export async function commitAt(root: string, name?: string): Promise<Commit> {
  await git(root, 'rev-parse', '--git-dir').catch(() => {
    throw new NoSuchCommit(`${root} is not a git repository.`);
  });
  const { ref, label } = name === undefined ? await defaultRef(root) : { ref: name, label: name };
  const id = await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).catch(() => {
    throw new NoSuchCommit(`git knows no commit "${ref}" here.`);
  });
  return { label, id: id.trim() };
}

export interface Tag {
  name: string;
  /** A version by semver.org, without a prefix. */
  version: string;
  id: string;
  /** `2026-11-23` */
  date: string;
}

/** `v1.2.3`, `1.2.3-rc.1`, `books@1.2.3`, `books/v1.2.3`. */
const RELEASE = /^(?:.*[@/-])?v?(\d+\.\d+\.\d+(?:[-+].*)?)$/;

/**
 * Returns the tags with versions of a commit and its ancestors, the oldest first. Rejects with NoSuchCommit.
 * @param since leaves out this commit and its ancestors
 */
export async function releasesIn(root: string, end: string, since?: string): Promise<Tag[]> {
  const { id } = await commitAt(root, end);
  const from = since === undefined ? undefined : (await commitAt(root, since)).id;
  const fields = ['%(refname:short)', '%(creatordate:short)', '%(objectname)', '%(*objectname)'].join('%00');
  const within = from === undefined ? [] : [`--contains=${from}`];
  const [tags, order] = await Promise.all([
    git(root, 'for-each-ref', '--sort=version:refname', `--merged=${id}`, ...within, `--format=${fields}`, 'refs/tags'),
    // Dates give no order: tags may be of one second, or much later than their commits.
    git(root, 'rev-list', '--topo-order', '--reverse', '--simplify-by-decoration', id),
  ]);
  const places = new Map(order.split('\n').map((commit, index) => [commit, index]));
  return tags
    .split('\n')
    .flatMap((line): Tag[] => {
      const [name = '', date = '', object = '', commit = ''] = line.split('\0');
      const version = RELEASE.exec(name)?.[1];
      const one = commit === '' ? object : commit;
      return version === undefined || one === from ? [] : [{ name, version, id: one, date }];
    })
    .sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
}

/** Returns the numbers, from 1, of the lines of a file in the working tree that a commit lacks. `file` is relative to `root`. */
export async function linesSince(root: string, commit: string, file: string): Promise<Set<number>> {
  const hunks = await git(root, 'diff', '--unified=0', '--no-color', '--no-ext-diff', commit, '--', file);
  const added = [...hunks.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(([, first, count = '1']) =>
    Array.from({ length: Number(count) }, (_, index) => Number(first) + index),
  );
  return new Set(added);
}

/** Returns the files of a project at a commit; none without a repository. `root` may be a folder of the repository. */
export function filesAt(root: string, commit: string): ProjectFiles {
  const output = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', ['-C', root, ...args], {
        encoding: 'utf8',
        maxBuffer: MAX_OUTPUT_BYTES,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      return undefined;
    }
  };
  const contains = (path: string) => !/^(\.\.)?(\/|$)/.test(normalize(path));
  return {
    contains,
    read: (path) => (contains(path) ? output('cat-file', 'blob', `${commit}:./${path}`) : undefined),
    list: (folder) =>
      (output('ls-tree', '-r', '-z', '--name-only', commit, '--', `./${folder}/`) ?? '')
        .split('\0')
        .filter(Boolean)
        .sort(),
  };
}
