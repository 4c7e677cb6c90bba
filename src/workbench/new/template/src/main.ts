import { run } from 'accord/run';
import { name } from './application/name.js';

await run({ name, application: async () => (await import('./application/application.js')).application });
