import { createHook } from 'node:async_hooks';

/** Preloaded into a server: prints the number of promises that were made, at each SIGWINCH. */
let made = 0;
createHook({
  init(_id, type) {
    if (type === 'PROMISE') made += 1;
  },
}).enable();
process.on('SIGWINCH', () => process.stdout.write(`promises=${made}\n`));
