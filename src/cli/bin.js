#!/usr/bin/env node
import module from 'node:module';
import { BUNDLES, built, canBuild } from './bundle.js';

const args = process.argv.slice(2);

// @ts-expect-error From Node 22 on, compiled code is kept for the next start.
module.enableCompileCache?.();
if (args.join() === 'start') {
  // The service is bundled: it waits for no loader.
  const { start } = await import('./start.js');
  await start();
} else if (canBuild()) {
  // The sources are TypeScript: tsx is registered before the first of them is imported.
  const { register } = await import('tsx/esm/api');
  register();
  const [{ accord }, { WORKBENCH }] = await Promise.all([import('./program.js'), import('./workbench.js')]);
  await accord(args, WORKBENCH);
} else if (args.join() !== 'build') {
  // An installation for production: it has the operator's commands as one bundle, and npm asks it to build when it installs.
  const { accord } = await built(BUNDLES.program);
  await accord(args, {});
}
