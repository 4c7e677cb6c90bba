import { execFile, execFileSync } from 'node:child_process';
import { normalize } from 'node:path/posix';
import { promisify } from 'node:util';
import type { ProjectFiles } from 'accord/contract/project-files';

const run = promisify(execFile);
/** Bytes that an answer of git may have; a contract is far smaller. */
const LONGEST = 64 * 1024 * 1024;

/** What git prints, run in a directory. Rejects when it fails, also for want of git or of a repository. */
export const git = async (root: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: LONGEST })).stdout;

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
