import { inherited } from './process.js';

const NAME = 'NODE_V8_COVERAGE';

/**
 * What a process gets whose lines are to count as covered: its environment. Without this Node hands it on to each process and
 * thread that a test starts, npm and compilers among them: two hundred that write down some megabytes each, which c8 reads.
 */
export const measured = inherited(NAME);
delete process.env[NAME];
