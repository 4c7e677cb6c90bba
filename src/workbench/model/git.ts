import { execFile, execFileSync } from 'node:child_process';
import { normalize } from 'node:path/posix';
import { promisify } from 'node:util';
import type { ProjectFiles } from '@accord-api/platform/contract/project-files';

const run = promisify(execFile);
/** Bytes that an answer of git may have; a contract is far smaller. */
const LONGEST = 64 * 1024 * 1024;

/** What git prints, run in a directory. Rejects when it fails, also for want of git or of a repository. */
export const git = async (root: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: LONGEST })).stdout;

/** What people call a commit, and which it is. */
export interface Commit {
  label: string;
  id: string;
}

/** A commit that git does not know, or no repository; the message is a sentence for whoever asked for it. */
export class NoSuchCommit extends Error {
  override readonly name = 'NoSuchCommit';
}

/** Where this branch left origin/main, or HEAD where there is no such branch. */
async function defaultRef(root: string): Promise<{ ref: string; label: string }> {
  const base = await git(root, 'merge-base', 'HEAD', 'origin/main').catch(() => undefined);
  if (base === undefined) return { ref: 'HEAD', label: 'HEAD' };
  return { ref: base.trim(), label: `${base.slice(0, 7)}, where this branch left origin/main` };
}

/** The commit that a git ref names; without one, where the branch left origin/main, or HEAD. Rejects with NoSuchCommit. */
export async function commitAt(root: string, name?: string): Promise<Commit> {
  await git(root, 'rev-parse', '--git-dir').catch(() => {
    throw new NoSuchCommit(`${root} is no git repository.`);
  });
  const { ref, label } = name === undefined ? await defaultRef(root) : { ref: name, label: name };
  const id = await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).catch(() => {
    throw new NoSuchCommit(`git knows no commit "${ref}" here.`);
  });
  return { label, id: id.trim() };
}

/** A tag that names a version. */
export interface Tag {
  name: string;
  /** The version (semver.org), without what stands before it. */
  version: string;
  /** The commit. */
  id: string;
  /** The day on which it was given, `2026-11-23`. */
  date: string;
}

/** `v1.2.3`, `1.2.3-rc.1`, `books@1.2.3`, `books/v1.2.3`. */
const RELEASE = /^(?:.*[@/-])?v?(\d+\.\d+\.\d+(?:[-+].*)?)$/;

/**
 * The tags that name a version, of a commit and of those that led to it, the oldest first. Rejects with NoSuchCommit.
 * @param since only those of commits that this one led to, and not its own
 */
export async function releasesIn(root: string, end: string, since?: string): Promise<Tag[]> {
  const { id } = await commitAt(root, end);
  const from = since === undefined ? undefined : (await commitAt(root, since)).id;
  const fields = ['%(refname:short)', '%(creatordate:short)', '%(objectname)', '%(*objectname)'].join('%00');
  const within = from === undefined ? [] : [`--contains=${from}`];
  const [tags, order] = await Promise.all([
    git(root, 'for-each-ref', '--sort=version:refname', `--merged=${id}`, ...within, `--format=${fields}`, 'refs/tags'),
    // By what led to what: several may be of one second, and a tag may be given long after.
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

/**
 * The lines of a file of the working tree that a commit has not, from 1.
 * @param file relative to the project, which may be a folder of its repository
 */
export async function linesSince(root: string, commit: string, file: string): Promise<Set<number>> {
  const hunks = await git(root, 'diff', '--unified=0', '--no-color', '--no-ext-diff', commit, '--', file);
  const added = [...hunks.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(([, first, count = '1']) =>
    Array.from({ length: Number(count) }, (_, index) => Number(first) + index),
  );
  return new Set(added);
}

/**
 * The files of the project at a commit; none without a repository.
 * @param root of the project, which may be a folder of its repository
 */
export function filesAt(root: string, commit: string): ProjectFiles {
  const ask = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', ['-C', root, ...args], {
        encoding: 'utf8',
        maxBuffer: LONGEST,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      return undefined;
    }
  };
  const contains = (path: string) => !/^(\.\.)?(\/|$)/.test(normalize(path));
  return {
    contains,
    read: (path) => (contains(path) ? ask('cat-file', 'blob', `${commit}:./${path}`) : undefined),
    list: (folder) =>
      (ask('ls-tree', '-r', '-z', '--name-only', commit, '--', `./${folder}/`) ?? '')
        .split('\0')
        .filter(Boolean)
        .sort(),
  };
}
