// The first import of a process that has several files of tests: see `loaded`.
import './measured.js';
import { begin } from './ending.js';

begin();
