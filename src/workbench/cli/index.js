// Plain JavaScript, because it registers the loader for TypeScript.
import './sparing-compiler.js';
import { existsSync } from 'node:fs';

// An installed workbench is compiled, and needs no loader.
if (existsSync(new URL('commands.ts', import.meta.url))) (await import('tsx/esm/api')).register();

export const { WORKBENCH } = await import('./commands.js');
