import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BUNDLES, built, bundleIsCurrent, canBuild } from './bundle.js';

/**
 * Runs the service from its bundle, which is made first when it is missing or behind the sources. Where nothing can be built,
 * what was built elsewhere is run.
 */
export async function start() {
  if (canBuild() && !bundleIsCurrent()) {
    const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('bin.js', import.meta.url)), 'build'], {
      stdio: 'inherit',
    });
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
