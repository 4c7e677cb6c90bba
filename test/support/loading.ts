// The first import of a process with several files of tests: see `loaded`.
import './measured.js';
import { begin } from './ending.js';

begin();
