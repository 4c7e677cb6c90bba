import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Bytes that an answer of git may have; a contract is far smaller. */
const LONGEST = 64 * 1024 * 1024;

/** What git prints, run in a directory. Rejects when it fails, also for want of git or of a repository. */
export const git = async (root: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: LONGEST })).stdout;

/**
 * A file of the project at a commit; undefined without a repository, or without the file in it.
 * @param file relative to the project, which may be a folder of its repository
 */
export const fileAt = (root: string, commit: string, file: string): Promise<string | undefined> =>
  git(root, 'show', `${commit}:./${file}`).catch(() => undefined);
