// The first import of a process that has several files of tests: see `loaded`.
import { begin } from './ending.js';

begin();
