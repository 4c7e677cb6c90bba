#!/usr/bin/env node
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Accord needs Node 20.19 or later, and this is Node ${process.versions.node}.`);
  process.exit(2);
}
// @ts-expect-error Node 22 and later keep compiled code for the next start.
module.enableCompileCache?.();

const args = process.argv.slice(2);
// Later than the check, because these modules may use what an old Node does not have.
const { BUNDLES, canBuild, importBundle, start } = await import('./built.js');
if (args.join() === 'start') {
  // The service is bundled, so it needs no loader for TypeScript.
  await start();
} else if (canBuild()) {
  // The workbench registers the loader for TypeScript.
  const { WORKBENCH } = await import('@accord-api/workbench/cli');
  const { accord } = await import('./program.js');
  await accord(args, WORKBENCH);
} else if (args.join() !== 'build') {
  // A production install has the operator's commands as a bundle. npm runs `build` during the installation, without effect.
  const { accord } = await importBundle(BUNDLES.program);
  await accord(args, {});
}
