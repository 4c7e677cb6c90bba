/**
 * Prints what each request allocates, what minor collections leave of it, and its promises: `node --import tsx bench/garbage.ts
 * [flags of Node]`.
 */
import type { Test } from 'tap';
import { COUNTING, collections, MOST_PROMOTED, promises, TRACED, UNLIMITED } from '../test/support/garbage.js';
import { startServer } from '../test/support/process.js';

const ends: (() => unknown)[] = [];
const t = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Test;
const { DATABASE_URL = 'pglite://memory' } = process.env;
const start = (flag: string) => {
  const flags = [flag, ...process.argv.slice(2)];
  const command = [process.execPath, ...flags, 'src/platform/server/cli/bin.js', 'start'] as const;
  return startServer(t, { DATABASE_URL, ...UNLIMITED }, command);
};
const found = await collections(await start(TRACED), { warmUp: 5000, requests: 10_000 });
const made = await promises(await start(COUNTING), { warmUp: 1000, requests: 1000 });
console.log(
  `Node ${process.versions.node}: bytes and promises per request, and the minor collections of 10,000 requests`,
);
for (const [kind, { allocated, promoted, minor, pause }] of Object.entries(found)) {
  const most = MOST_PROMOTED[kind as keyof typeof MOST_PROMOTED];
  const figures = [
    `${(allocated / 1000).toFixed(1)} kB allocated, ${Math.round(promoted)} B promoted (at most ${most})`,
    `${minor} of ${pause.toFixed(1)} ms`,
    `${made[kind as keyof typeof made].toFixed(1)} promises`,
  ];
  console.log(`${kind}: ${figures.join('; ')}`);
}
for (const end of ends) await end();
