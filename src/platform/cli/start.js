import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import { rootPath } from '../root.js';
import { BUNDLES, bundleIsCurrent, canBuild, importBundle } from './built.js';

/**
 * Bytes of WebAssembly that a function executes before V8 optimises it. With the default of Node 20, the optimisation of PostgreSQL
 * and Prisma costs a third of a start and 70 MB.
 */
const WASM_TIERING_BUDGET_BYTES = 20_000_000;

/** Runs the service from its bundle. Builds the bundle first if it is missing or stale, and the workbench is installed. */
export async function start() {
  v8.setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET_BYTES}`);
  if (canBuild() && !bundleIsCurrent()) {
    const { spawnSync } = await import('node:child_process');
    const bin = fileURLToPath(new URL('bin.js', import.meta.url));
    const { status } = spawnSync(process.execPath, [bin, '--root', rootPath(), 'build'], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  await importBundle(BUNDLES.service);
}

/** @type {import('./subcommand.js').Subcommand} */
const command = (command) => {
  command.action(start);
};

export default command;
