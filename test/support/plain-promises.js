// Before tap: it follows each promise of a process by async_hooks, to say of which test an error is that nobody caught. The
// service has thousands a request, each of which is twice as dear then, and collected otherwise than it is where it serves. Such
// an error ends the process instead, and with it the run.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const none = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();
