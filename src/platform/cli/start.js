import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import { rootPath } from '../root.js';
import { BUNDLES, built, bundleIsCurrent, canBuild } from './built.js';

/**
 * Bytes of WebAssembly that a function executes before it is compiled a second time, for speed. By Node 20's own value that is
 * begun while the database and Prisma start, and costs a third of the start and 70 MB; what a service does often gets there soon.
 */
const TIERING_BUDGET = 20_000_000;

/**
 * Runs the service from its bundle, which is made first when it is missing or behind the sources. Where nothing can be built,
 * what was built elsewhere is run.
 */
export async function start() {
  v8.setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  if (canBuild() && !bundleIsCurrent()) {
    const { spawnSync } = await import('node:child_process');
    const bin = fileURLToPath(new URL('bin.js', import.meta.url));
    const { status } = spawnSync(process.execPath, [bin, '--root', rootPath(), 'build'], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  await built(BUNDLES.service);
}

/**
 * `accord start`: the service.
 * @type {import('./subcommand.js').Subcommand}
 */
const command = (command) => {
  command.action(start);
};

export default command;
