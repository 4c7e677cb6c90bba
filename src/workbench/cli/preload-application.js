/**
 * `accord dev` preloads this module into each server. It loads the application, reports that to the parent, and waits for a message.
 * An application that does not load ends this process while the previous server still runs.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const application = resolve('src/application/application.ts');
if (existsSync(application)) await import(pathToFileURL(application).href);
const begin = new Promise((begun) => {
  process.once('message', begun);
});
const exit = () => process.exit(1);
process.once('disconnect', exit);
process.send?.('loaded');
await begin;
process.off('disconnect', exit);
process.disconnect();
