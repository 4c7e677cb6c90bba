import { setFlagsFromString } from 'node:v8';

// PostgreSQL and Prisma in WebAssembly are not optimised.
setFlagsFromString('--liftoff-only');

// Delays the optimisation of JavaScript by V8 to ten times the usual budget. Tests and commands live for seconds, and spent up to a third of their
// time on optimising code that hardly ran again. V8 of Node 22 and later counts calls instead.
if (Number.parseInt(process.versions.node, 10) < 22) setFlagsFromString('--interrupt-budget=1200000');
