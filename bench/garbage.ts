/** Prints what minor collections leave of each request: `node --import tsx bench/garbage.ts [flags of Node]`. */
import type { Test } from 'tap';
import { collections, MOST_PROMOTED, TRACED, UNLIMITED } from '../test/support/garbage.js';
import { startServer } from '../test/support/process.js';

const ends: (() => unknown)[] = [];
const t = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Test;
const { DATABASE_URL = 'pglite://memory' } = process.env;
const command = [
  process.execPath,
  TRACED,
  ...process.argv.slice(2),
  'src/platform/server/cli/bin.js',
  'start',
] as const;
const server = await startServer(t, { DATABASE_URL, ...UNLIMITED }, command);
const found = await collections(server, { warmUp: 5000, requests: 10_000 });
console.log(`Node ${process.versions.node}: promoted bytes per request, and the minor collections of 10,000 requests`);
for (const [kind, { promoted, minor, pause }] of Object.entries(found)) {
  const most = MOST_PROMOTED[kind as keyof typeof MOST_PROMOTED];
  console.log(`${kind}: ${Math.round(promoted)} B (at most ${most}); ${minor} of ${pause.toFixed(1)} ms`);
}
for (const end of ends) await end();
