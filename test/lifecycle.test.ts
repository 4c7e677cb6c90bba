import { testsIn } from './support/suite.js';

await testsIn('lifecycle');
