import type { Test } from 'tap';
import { COUNTING, collections, mapLogging, maps, promises, TRACED, UNLIMITED } from '../test/support/garbage.js';
import { startServer } from '../test/support/process.js';
import type { Directories } from './data.js';
import type { Made } from './results.js';

/**
 * Measures what each kind of request makes: bytes and how many of them minor collections leave, promises, and hidden classes of V8.
 * Counts requests instead of time.
 */
export async function garbage(url: string, directories: Directories): Promise<Record<string, Made>> {
  const ends: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Test;
  const start = (...flags: string[]) => {
    const command = [process.execPath, ...flags, 'src/platform/server/cli/bin.js', 'start'] as const;
    return startServer(t, { DATABASE_URL: url, ...UNLIMITED }, command);
  };
  const few = { warmUp: 1000, requests: 1000 };
  const found = await collections(await start(TRACED), { warmUp: 5000, requests: 10_000 });
  const promised = await promises(await start(COUNTING), few);
  const classes = await maps(await start(...mapLogging(`${directories.empty()}.log`)), few);
  for (const end of ends) await end();
  return Object.fromEntries(
    Object.entries(found).map(([kind, { allocated, promoted }]) => {
      const name = kind as keyof typeof found;
      return [kind, { allocated, promoted, promises: promised[name], maps: classes[name] }];
    }),
  );
}
