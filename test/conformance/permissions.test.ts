import t from 'tap';
import { permissions } from '../../src/platform/testing/index.js';
import { ofExample } from '../support/conformance.js';
import { onEachDatabase } from '../support/databases.js';

onEachDatabase(t, (t, open) => ofExample(permissions, t, open));
