import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { onEachDatabase } from '../support/databases.js';
import { eventually } from '../support/process.js';
import { startService } from '../support/service.js';
import { statementsMeanwhile } from '../support/statements.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('nothing is asked of the database while there is nothing to do', async (t) => {
    await startService(t, database);
    // What a start leaves to be looked through may still be under way.
    const quiet = async () => {
      const { statements } = await statementsMeanwhile(() => delay(2500));
      return statements.length === 0 || undefined;
    };
    t.ok(await eventually('two seconds and a half without a statement', quiet));
  });
});
