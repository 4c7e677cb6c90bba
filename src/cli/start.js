import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BUNDLE, bundleIsCurrent } from './bundle.js';

/** Runs the service from its bundle, which is made first when it is missing or behind the sources. */
export async function start() {
  if (!bundleIsCurrent()) {
    const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('bin.js', import.meta.url)), 'build'], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exit(status ?? 1);
  }
  await import(pathToFileURL(BUNDLE).href);
}

/**
 * `accord start`: the service.
 * @type {import('./subcommand.js').Subcommand}
 */
const command = (command) => {
  command.action(start);
};

export default command;
