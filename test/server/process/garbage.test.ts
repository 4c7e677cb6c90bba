import t from 'tap';
import { collections, MOST_PROMOTED, TRACED, UNLIMITED } from '../../support/garbage.js';
import { startServer } from '../../support/process.js';

t.test('what a request allocates dies with it: a minor collection promotes next to nothing', async (t) => {
  const command = [
    process.execPath,
    TRACED,
    '--max-semi-space-size=4',
    'src/platform/server/cli/bin.js',
    'start',
  ] as const;
  const server = await startServer(t, { DATABASE_URL: 'pglite://memory', ...UNLIMITED }, command);
  const found = await collections(server, { warmUp: 1500, requests: 1000 });
  for (const [kind, most] of Object.entries(MOST_PROMOTED)) {
    const { promoted, minor } = found[kind as keyof typeof found];
    t.ok(promoted <= most, `${kind}: ${Math.round(promoted)} of ${most} bytes in ${minor} collections`);
  }
});
