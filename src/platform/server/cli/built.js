// Plain JavaScript, because a start without a loader for TypeScript takes little more than half the time.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { rootPath } from '../../root.js';

/**
 * The bundles: the service, and the operator's commands. With `node --enable-source-maps`, stack traces name the sources.
 * @type {Readonly<Record<'service' | 'program', string>>}
 */
export const BUNDLES = { service: 'main.js', program: 'program.js' };

/** @param {string[]} segments */
export const distPath = (...segments) => rootPath('dist', ...segments);

/** Returns the path of the record: the sources of the last build, their digest, and the built files. */
export const recordPath = () => distPath('bundle.json');

/** Returns true if the workbench is installed. A production install runs what was built elsewhere. */
export function canBuild() {
  try {
    return import.meta.resolve('@accord-api/workbench/cli') !== '';
  } catch {
    return false;
  }
}

/**
 * Imports a bundle. Without it, prints the remedy and ends the process.
 * @param {string} bundle
 */
export async function importBundle(bundle) {
  const path = distPath(bundle);
  if (existsSync(path)) return import(pathToFileURL(path).href);
  console.error(
    'There is no dist/, and the development dependencies that build it are not installed. Run `npm ci && npm run build` where they are, and copy dist/ here.',
  );
  process.exit(1);
}

/** @param {string[]} files from the project */
function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(rootPath(file)));
  return hash.digest('hex');
}

/** @param {string} file from `dist` @throws if the file is missing */
const sizeOf = (file) => statSync(distPath(file)).size;

/**
 * Replaces a file atomically.
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
export function replaceFile(path, contents) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}

/**
 * @param {string[]} sources from the project
 * @param {string[]} outputs from `dist`
 */
export const writeRecord = (sources, outputs) =>
  replaceFile(
    recordPath(),
    JSON.stringify({ sources, digest: digestOf(sources), outputs: outputs.map((file) => [file, sizeOf(file)]) }),
  );

/** Returns true if `dist` was built from the present sources. Compares contents (15 ms), because a copy may keep its date. */
export function bundleIsCurrent() {
  try {
    const { sources, digest, outputs } = JSON.parse(readFileSync(recordPath(), 'utf8'));
    const isWhole = (/** @type {[string, number]} */ [file, size]) => sizeOf(file) === size;
    return outputs.every(isWhole) && digestOf(sources) === digest;
  } catch {
    return false;
  }
}

/**
 * Bytes of WebAssembly that a function executes before V8 optimises it. With the default of Node 20, the optimisation of PostgreSQL
 * and Prisma costs a third of a start and 70 MB.
 */
const WASM_TIERING_BUDGET_BYTES = 20_000_000;

/**
 * Flags of V8 for the service, for each way to start it. Without pretenuring, no object of a request is allocated in old space because
 * earlier ones survived: dead objects there keep what they point to until the next full collection.
 */
const FLAGS = [`--wasm-tiering-budget=${WASM_TIERING_BUDGET_BYTES}`, '--no-allocation-site-pretenuring'];

/** Runs the service from its bundle. Builds the bundle first if it is missing or stale, and the workbench is installed. */
export async function start() {
  for (const flag of FLAGS) v8.setFlagsFromString(flag);
  if (canBuild() && !bundleIsCurrent()) {
    const { spawnSync } = await import('node:child_process');
    const bin = fileURLToPath(new URL('bin.js', import.meta.url));
    const { status } = spawnSync(process.execPath, [bin, '--root', rootPath(), 'build'], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  await importBundle(BUNDLES.service);
}
