import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Variant } from './measure.js';
import { type Measured, ROOT, startProcess } from './server.js';

/** The alternatives to Accord: servers in a package of their own, which only the benchmark installs. */
const FOLDER = join(ROOT, 'bench', 'peers');
const INSTALLED = join(FOLDER, 'node_modules', '.package-lock.json');
const LOCK = join(FOLDER, 'package-lock.json');

/** Installs the packages if they differ from the lockfile, and compiles the servers. */
export async function preparePeers(): Promise<void> {
  if (!existsSync(INSTALLED) || statSync(INSTALLED).mtimeMs < statSync(LOCK).mtimeMs) {
    console.log('Installing the peers in bench/peers, once.');
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' });
  }
  await build({
    absWorkingDir: FOLDER,
    entryPoints: readdirSync(FOLDER).filter((name) => name.endsWith('.ts')),
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    tsconfig: 'tsconfig.json',
    logLevel: 'warning',
  });
}

/** Starts a file of bench/peers, named without its extension. */
export const startPeer = (name: string, environment: Record<string, string> = {}): Promise<Measured> =>
  startProcess([join(FOLDER, 'dist', `${name}.js`)], { NODE_ENV: 'production', ...environment }, /^ready (\S+)$/m);

/** Returns a function that starts peers on a PostgreSQL database. */
export const peersOn =
  (database: string) =>
  async (
    name: string,
    kind: Variant['kind'],
    file: string,
    environment: Record<string, string> = {},
  ): Promise<Variant> => ({ name, kind, server: await startPeer(file, { DATABASE_URL: database, ...environment }) });

/** Returns the versions of the peers' packages. */
export const peerVersions = (): Record<string, string> =>
  JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')).dependencies;
