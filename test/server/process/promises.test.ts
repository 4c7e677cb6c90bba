import t from 'tap';
import { blankDatabase } from '../../support/databases.js';
import { COUNTING, MOST_PROMISES, promises, UNLIMITED } from '../../support/garbage.js';
import { startServer } from '../../support/process.js';
import { skipWithoutPostgresql } from '../../support/servers.js';

t.test('a request waits for little: it makes few promises', { skip: skipWithoutPostgresql }, async (t) => {
  const DATABASE_URL = await blankDatabase(t);
  const command = [process.execPath, COUNTING, 'src/platform/server/cli/bin.js', 'start'] as const;
  const server = await startServer(t, { DATABASE_URL, ...UNLIMITED }, command);
  const found = await promises(server, { warmUp: 300, requests: 500 });
  for (const [kind, most] of Object.entries(MOST_PROMISES)) {
    const made = found[kind as keyof typeof found];
    t.ok(made <= most, `${kind}: ${made} promises, at most ${most}`);
  }
});
