import { run } from 'accord/run';
import { name } from './application/name.js';
import { variables } from './application/variables.js';

await run({ name, variables, application: async () => (await import('./application/application.js')).application });
