import { inherited } from './process.js';

const NAME = 'NODE_V8_COVERAGE';

/**
 * The environment of a process whose line coverage counts. Without it, Node passes the variable to all processes and
 * threads, and c8 has to read two hundred reports of several megabytes.
 */
export const measured = inherited(NAME);
delete process.env[NAME];
