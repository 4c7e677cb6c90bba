import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { accord } from './accord.js';
import { type Ended, NODE, ROOT, run, temporaryFolder } from './process.js';

const OURS = '@accord-api';
const PACKAGES = ['platform', 'prepared-prisma', 'testing', 'workbench'] as const;
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'src', 'platform', 'package.json'), 'utf8'));

/**
 * Links the installed dependencies into a project, because `npm install` takes minutes on a busy machine. The caller
 * installs the packages of this repository.
 */
function linkDependencies(folder: string): void {
  const [here, there] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(there, OURS), { recursive: true });
  mkdirSync(join(there, '.bin'));
  for (const name of readdirSync(here)) {
    if (name !== OURS && !name.startsWith('.')) symlinkSync(join(here, name), join(there, name));
  }
  for (const name of readdirSync(join(here, '.bin'))) {
    if (name !== 'accord') symlinkSync(realpathSync(join(here, '.bin', name)), join(there, '.bin', name));
  }
  symlinkSync('../@accord-api/platform/server/cli/bin.js', join(there, '.bin', 'accord'));
  symlinkSync('../../generated', join(there, OURS, 'generated'));
}

/** Links the sources of the platform and of the workbench. */
export function linkSources(folder: string): void {
  linkDependencies(folder);
  for (const name of PACKAGES) symlinkSync(join(ROOT, 'src', name), join(folder, 'node_modules', OURS, name));
}

/** Installs a package of this repository in a project, from its tarball in `packed`. */
export function unpack(packed: string, name: string, folder: string): void {
  const there = join(folder, 'node_modules', OURS, name);
  mkdirSync(there);
  const tarball = join(packed, `accord-api-${name}-${VERSION}.tgz`);
  execFileSync('tar', ['-xzf', tarball, '-C', there, '--strip-components=1']);
}

let packing: Promise<string> | undefined;

/**
 * Packs the packages once per process and resolves with the folder of the tarballs. Rejects with the compiler's errors.
 */
export function packages(t: Test): Promise<string> {
  packing ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'accord-packages-'));
    process.once('exit', () => rmSync(folder, { recursive: true }));
    const { code, stdout, stderr } = await run(t, [process.execPath, '.ci/pack.js', folder]).ended;
    if (code !== 0) throw new Error(stdout + stderr);
    return folder;
  })();
  return packing;
}

/** Installs the packed packages in a project, and links their dependencies. */
export async function installPackages(t: Test, folder: string): Promise<void> {
  const packed = await packages(t);
  linkDependencies(folder);
  for (const name of PACKAGES) unpack(packed, name, folder);
}

export interface NewProject {
  folder: string;
  /** Runs a command line in the project. */
  command: (line: string) => Promise<Ended>;
  /** The command that starts the service. */
  start: readonly [string, ...string[]];
}

/** The new projects of this process, by name. */
const begun = new Map<string, Promise<string>>();

/**
 * Creates a project, installs the packed tarballs, builds and commits it. Rejects with the output of a failing command.
 */
async function begin(t: Test, name: string): Promise<string> {
  const packed = await packages(t);
  const folder = join(mkdtempSync(join(tmpdir(), 'accord-new-')), name);
  process.once('exit', () => rmSync(dirname(folder), { recursive: true }));
  const { code, stderr } = await accord(t, ['new', folder, '--packages', packed]);
  if (code !== 0) throw new Error(stderr);
  await installPackages(t, folder);
  const git = 'git -c user.name=t -c user.email=t@example.com';
  const made = await run(
    t,
    ['sh', '-c', `npm run prepare && git init -q && git add . && ${git} commit -qm before`],
    {},
    folder,
  ).ended;
  if (made.code !== 0) throw new Error(made.stdout + made.stderr);
  return folder;
}

/** Returns this process's environment without what npm and tap set for their own children. */
const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(NODE_OPTIONS$|TAP_|npm_(package|lifecycle)_)/.test(name) ? [] : [[name, value]],
    ),
  );

/** Creates a project and installs the packed tarballs with `npm install`, without a lockfile. */
export async function installedProject(t: Test): Promise<NewProject> {
  const folder = join(temporaryFolder(t), 'books');
  const { code, stderr } = await accord(t, ['new', folder, '--packages', await packages(t)]);
  if (code !== 0) throw new Error(stderr);
  const installed = await run(t, ['npm', 'install', '--no-audit', '--no-fund'], ownEnvironment(), folder).ended;
  if (installed.code !== 0) throw new Error(installed.stdout + installed.stderr);
  return projectIn(t, folder);
}

/** Returns the project in a folder that has its packages. */
export const projectIn = (t: Test, folder: string): NewProject => ({
  folder,
  command: (line) => run(t, ['sh', '-c', line], {}, folder).ended,
  start: [...NODE, join(folder, 'node_modules/.bin/accord'), 'start'],
});

/** Returns a new project that is installed from the tarballs, built and committed. */
export async function newProject(t: Test, name = 'books'): Promise<NewProject> {
  const made = begun.get(name) ?? begin(t, name);
  begun.set(name, made);
  const folder = join(temporaryFolder(t), name);
  // The copy keeps the modification times, by which a build is known to be current.
  execFileSync('cp', ['-a', await made, folder]);
  return projectIn(t, folder);
}
