#!/usr/bin/env node
import module from 'node:module';

const args = process.argv.slice(2);

// @ts-expect-error From Node 22 on, compiled code is kept for the next start.
module.enableCompileCache?.();
if (args.join() === 'start') {
  // The service is bundled: it waits for no loader.
  const { start } = await import('./start.js');
  await start();
} else {
  // The sources are TypeScript: tsx is registered before the first of them is imported.
  const { register } = await import('tsx/esm/api');
  register();
  const { accord } = await import('./program.js');
  await accord(args);
}
