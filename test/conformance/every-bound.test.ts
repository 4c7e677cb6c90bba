import t from 'tap';
import { everyBound } from '../../src/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { memoryDatabase } from '../support/databases.js';

t.test('both sides of every bound', (t) => ofExample(everyBound, t, () => memoryDatabase(t)));
