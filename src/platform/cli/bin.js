#!/usr/bin/env node
import module from 'node:module';
import { BUNDLES, built, canBuild } from './built.js';

const args = process.argv.slice(2);

// @ts-expect-error From Node 22 on, compiled code is kept for the next start.
module.enableCompileCache?.();
if (args.join() === 'start') {
  // The service is bundled: it waits for no loader.
  const { start } = await import('./start.js');
  await start();
} else if (canBuild()) {
  // The workbench brings what reads TypeScript, which the sources of a project are.
  const { WORKBENCH } = await import('@accord-api/workbench/cli');
  const { accord } = await import('./program.js');
  await accord(args, WORKBENCH);
} else if (args.join() !== 'build') {
  // An installation for production: it has the operator's commands as one bundle, and npm asks it to build when it installs.
  const { accord } = await built(BUNDLES.program);
  await accord(args, {});
}
