/**
 * Preloaded into a server of `accord dev`: loads the application, reports that to the parent, and waits for its message. Code that
 * does not load ends this process while the last server still runs.
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
