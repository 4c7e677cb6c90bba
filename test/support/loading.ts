// The first import of a process with several files of tests: see `loaded`.
import './measured.js';
// Reads the environment before a command that runs in the process replaces it.
import './servers.js';
import { begin } from './ending.js';

begin();
