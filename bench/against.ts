import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, ROOT } from './server.js';

/**
 * Builds another commit in a folder of its own, with the installed dependencies of this one.
 * @returns the folder; it is removed when the process ends
 */
export function checkedOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'accord-against-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  git('worktree', 'add', '--detach', '--force', folder, commit);
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  });
  const [installed, modules] = [ROOT, folder].map((root) => join(root, 'node_modules')) as [string, string];
  const own = '@accord-api';
  mkdirSync(join(modules, own), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== own && name !== '.cache') symlinkSync(join(installed, name), join(modules, name));
  // Relative, so that they lead to the sources of the folder.
  for (const name of readdirSync(join(installed, own)))
    symlinkSync(readlinkSync(join(installed, own, name)), join(modules, own, name));
  execFileSync(process.execPath, [commandOf(folder), 'build'], { cwd: folder, stdio: 'inherit' });
  return folder;
}
