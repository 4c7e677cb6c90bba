// Plain JavaScript, for it brings what reads TypeScript.
import './sparing-compiler.js';
import { register } from 'tsx/esm/api';

register();

/** What the workbench adds to the `accord` command. */
export const { WORKBENCH } = await import('./commands.js');
