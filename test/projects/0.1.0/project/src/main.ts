import { run } from '@accord-api/platform/run';
import { name } from './application/name.js';

await run({ name, application: async () => (await import('./application/application.js')).application });
