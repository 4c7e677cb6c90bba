import { variables } from './application/variables.js';
import { run } from './platform/server/run.js';

await run({ variables, application: async () => (await import('./application/application.js')).application });
