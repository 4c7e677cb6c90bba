// Disables the async_hooks of tap, which double the cost of each promise and change garbage collection. An uncaught
// error ends the process instead of failing one test.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const none = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();
