// Disables the async_hooks of tap, which double the cost of each promise and change garbage collection. In `test/all.js`,
// an uncaught error fails its file (`reportUncaught` in ending.ts); alone, a file ends with it.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const none = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();
