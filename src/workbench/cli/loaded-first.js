/**
 * Loaded before a server that `accord dev` starts: loads the application, tells whoever has started this that it could be, and
 * lets the server begin when told so. What does not compile ends this process while the last server still serves.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const application = resolve('src/application/application.ts');
if (existsSync(application)) await import(pathToFileURL(application).href);
const told = new Promise((begin) => {
  process.once('message', begin);
});
const alone = () => process.exit(1);
process.once('disconnect', alone);
process.send?.('loaded');
await told;
process.off('disconnect', alone);
process.disconnect();
