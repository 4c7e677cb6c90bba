// Plain JavaScript, for it brings what reads TypeScript.
import './sparing-compiler.js';
import { existsSync } from 'node:fs';

// Which the sources of the workbench are in its repository, and not where it is installed: there no module waits for a loader.
if (existsSync(new URL('commands.ts', import.meta.url))) (await import('tsx/esm/api')).register();

/** What the workbench adds to the `accord` command. */
export const { WORKBENCH } = await import('./commands.js');
