import t from 'tap';
import { everyBound } from '../../src/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { memoryDatabase } from '../support/databases.js';

t.test('every bound, from both sides', (t) => ofExample(everyBound, t, () => memoryDatabase(t)));
