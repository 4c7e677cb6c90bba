import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where version managers (nvm, fnm) keep Node: a folder for each version. */
const FOLDERS = ['.nvm/versions/node', '.local/share/fnm/node-versions'].map((folder) => join(homedir(), folder));
const MIN_MAJOR = 20;

const binariesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder).flatMap((version) =>
        ['bin/node', 'installation/bin/node']
          .map((path) => join(folder, version, path))
          .filter((path) => existsSync(path)),
      )
    : [];

/** Returns the newest Node of each major version: this one, those of version managers, and those that NODES names (`:` between). */
function nodes(): string[] {
  const named = (process.env['NODES'] ?? '').split(':').filter(Boolean);
  const newest = new Map<number, { path: string; version: number[] }>();
  for (const path of [process.execPath, ...named, ...FOLDERS.flatMap(binariesIn)]) {
    const version = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
      .trim()
      .split('.')
      .map(Number);
    const [major = 0] = version;
    const isNewer = version.join().localeCompare(newest.get(major)?.version.join() ?? '', 'en', { numeric: true }) > 0;
    if (major >= MIN_MAJOR && isNewer) newest.set(major, { path, version });
  }
  return [...newest.values()].map(({ path }) => path);
}

/** Runs this program on each Node, one after the other. @returns false in such a run */
export function repeatOnEachNode(): boolean {
  if (process.env['BENCH_NODE'] !== undefined) return false;
  for (const path of nodes()) {
    console.log(path);
    const environment = { ...process.env, BENCH_NODE: path, PATH: `${dirname(path)}:${process.env['PATH']}` };
    const given = [...process.execArgv, ...process.argv.slice(1)];
    const { status } = spawnSync(path, given, { env: environment, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  return true;
}
