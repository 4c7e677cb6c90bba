import { name } from './application/name.js';
import { variables } from './application/variables.js';
import { run } from './platform/server/run.js';

await run({ name, variables, application: async () => (await import('./application/application.js')).application });
