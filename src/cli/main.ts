import { accord } from './program.js';

await accord(process.argv.slice(2));
