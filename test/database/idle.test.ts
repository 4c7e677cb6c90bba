import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { application } from '../../src/application/application.js';
import { allParts } from '../../src/platform/server/all-parts.js';
import { prepareData, printedLogin } from '../../src/platform/server/serve.js';
import { onEachDatabase } from '../support/databases.js';
import { exampleConfig } from '../support/example.js';
import { startInstance, startService } from '../support/service.js';
import { statementsMeanwhile } from '../support/statements.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('an idle service sends no statements', async (t) => {
    await startService(t, database);
    let seen: string[] = [];
    // What a start leaves to be looked through may still be under way.
    for (let looks = 0; looks === 0 || (seen.length > 0 && looks < 8); looks++) {
      seen = (await statementsMeanwhile(() => delay(2500))).statements;
    }
    t.same(seen, []);
  });

  t.test('an idle service does not sample the clock of the database', async (t) => {
    const { client, clock } = await open();
    const log = { info() {}, warn() {} };
    const samples = async () => (await statementsMeanwhile(() => clock.check(log))).statements.length;
    await samples();
    t.equal(await samples(), 0);
    await client.user.count();
    t.equal(await samples(), 1);
    t.equal(await samples(), 0);
  });

  t.test('a start on a current database, and a read, write no row', async (t) => {
    const database = await open();
    const { admin } = await startService(t, database);
    const config = exampleConfig({ NODE_ENV: 'test' });
    const { statements } = await statementsMeanwhile(async () => {
      await prepareData(allParts, { database, config, application });
      t.equal(await printedLogin(allParts, { database, config, application }), undefined);
      const { app, rest } = await startInstance(t, database);
      t.equal((await rest('GET', '/api/v1/auth/me', { as: admin })).status, 200);
      t.match((await rest('GET', '/readyz')).body, { status: 'ok' });
      // Waits for what runs beside the requests.
      await app.close();
    });
    t.ok(statements.length > 0);
    t.same(
      statements.filter((text) => /^\s*(INSERT|UPDATE)/.test(text)),
      [],
    );
  });
});
