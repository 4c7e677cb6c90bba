import t from 'tap';
import { drawnRequests } from '../../src/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { memoryDatabase } from '../support/databases.js';

t.test('generated requests get declared answers', (t) => ofExample(drawnRequests, t, () => memoryDatabase(t)));
