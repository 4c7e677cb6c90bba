import t from 'tap';
import { failureOrder } from '../../src/platform/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { onEachDatabase } from '../support/databases.js';

onEachDatabase(t, (t, open) => ofExample(failureOrder, t, open));
