import { join } from 'node:path';
import t from 'tap';
import { blankDatabase } from '../../support/databases.js';
import { MOST_MAPS, mapLogging, maps, UNLIMITED } from '../../support/garbage.js';
import { startServer, temporaryFolder } from '../../support/process.js';
import { skipWithoutPostgresql } from '../../support/servers.js';

t.test('a request adds no hidden class to V8', { skip: skipWithoutPostgresql }, async (t) => {
  const DATABASE_URL = await blankDatabase(t);
  const flags = mapLogging(join(temporaryFolder(t), 'v8.log'));
  const command = [process.execPath, ...flags, 'src/platform/server/cli/bin.js', 'start'] as const;
  const server = await startServer(t, { DATABASE_URL, ...UNLIMITED }, command);
  for (const [kind, made] of Object.entries(await maps(server, { warmUp: 500, requests: 500 })))
    t.ok(made <= MOST_MAPS, `${kind}: ${made} hidden classes, at most ${MOST_MAPS}`);
});
