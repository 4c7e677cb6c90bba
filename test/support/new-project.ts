import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT, run } from './process.js';

/** Of packages that are not of this repository. */
const OURS = ['accord', '@accord'];

/**
 * Installs in a project what `npm install` would install: the dependencies that are installed here, by links, for to install them
 * anew takes minutes on a busy machine. The packages of this repository are left to the caller.
 */
function linkDependencies(folder: string): void {
  const [here, there] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(there, '@accord'), { recursive: true });
  mkdirSync(join(there, '.bin'));
  for (const name of readdirSync(here)) {
    if (!OURS.includes(name) && !name.startsWith('.')) symlinkSync(join(here, name), join(there, name));
  }
  for (const name of readdirSync(join(here, '.bin'))) {
    if (name !== 'accord') symlinkSync(realpathSync(join(here, '.bin', name)), join(there, '.bin', name));
  }
  symlinkSync('../accord/cli/bin.js', join(there, '.bin', 'accord'));
  symlinkSync('../../generated', join(there, '@accord', 'generated'));
}

/** Installs the sources of the platform and of the workbench, by links. */
export function linkSources(folder: string): void {
  linkDependencies(folder);
  symlinkSync(join(ROOT, 'src', 'platform'), join(folder, 'node_modules', 'accord'));
  symlinkSync(join(ROOT, 'src', 'workbench'), join(folder, 'node_modules', '@accord', 'workbench'));
}

/** Installs the platform and the workbench from their tarballs. */
export function unpack(folder: string, tarballs: readonly [platform: string, workbench: string]): void {
  linkDependencies(folder);
  for (const [index, name] of ['accord', '@accord/workbench'].entries()) {
    const there = join(folder, 'node_modules', name);
    mkdirSync(there);
    execFileSync('tar', ['-xzf', tarballs[index] as string, '-C', there, '--strip-components=1']);
  }
}

/** Packs both, as they are published. Rejects with what the compiler says. */
export async function packed(t: Test, folder: string): Promise<[platform: string, workbench: string]> {
  const { code, stdout, stderr } = await run(t, [process.execPath, '.ci/pack.js', folder]).ended;
  if (code !== 0) throw new Error(stdout + stderr);
  const [platform, workbench] = readdirSync(folder)
    .filter((name) => name.endsWith('.tgz'))
    .sort();
  return [join(folder, platform as string), join(folder, workbench as string)];
}
