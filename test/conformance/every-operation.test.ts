import t from 'tap';
import { everyOperation } from '../../src/platform/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { onEachDatabase } from '../support/databases.js';

onEachDatabase(t, (t, open) => ofExample(everyOperation, t, open));
