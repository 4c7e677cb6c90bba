import { setFlagsFromString } from 'node:v8';

// WebAssembly, that of PostgreSQL and of Prisma, is not compiled a second time for speed.
setFlagsFromString('--liftoff-only');

// JavaScript is compiled for speed only where it runs ten times as long as V8 waits elsewhere: a process of tests lives half a
// minute and a command a second or two, and up to a third of the work was compiling what hardly ran again. V8 of Node 22 and
// later counts calls instead.
if (Number.parseInt(process.versions.node, 10) < 22) setFlagsFromString('--interrupt-budget=1200000');
