import t from 'tap';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { administer, blankDatabase, TEST_TIMEOUTS_MS } from '../support/databases.js';
import { pgbouncer, skipWithoutPgbouncer } from '../support/poolers.js';
import { eventually } from '../support/process.js';
import { skipWithoutPostgresql } from '../support/servers.js';
import { startService } from '../support/service.js';

const WRITES = 12;
const REFUSAL = /^The database refuses writes: it is read-only/;

for (const route of ['to the server', 'through PgBouncer in transaction mode']) {
  const isPooled = route !== 'to the server';
  const skip = skipWithoutPostgresql || (isPooled && skipWithoutPgbouncer);
  t.test(`with connections ${route}, a read-only phase ends for readiness and writes at once`, { skip }, async (t) => {
    const address = await blankDatabase(t);
    const name = new URL(address).pathname.slice(1);
    const setting = (change: string) => administer(`ALTER DATABASE ${name} ${change}`);
    const limits = TEST_TIMEOUTS_MS;
    const database: Database = isPooled
      ? await openDatabase((await pgbouncer(t, 'transaction')).through(address), { direct: address, limits })
      : await openDatabase(address, { limits });
    t.teardown(database.close);
    const { rest, admin, viewer } = await startService(t, Object.assign(database, { url: undefined }));
    const path = `/api/v1/users/${viewer.id}`;
    const write = (i: number) => rest('PATCH', path, { as: admin, body: { name: `Name ${i}` } });
    const writes = () => Promise.all(Array.from({ length: WRITES }, (_, i) => write(i)));
    const read = () => rest('GET', path, { as: admin });
    const ready = async () => {
      const { status, body } = await rest('GET', '/readyz');
      return { status, database: body.checks.database, writable: body.checks.databaseWritable };
    };
    const becomes = (status: number) =>
      eventually(`readiness ${status}`, async () => (await ready()).status === status);
    const statuses = async (ask: () => Promise<{ status: number }[]>) =>
      new Set((await ask()).map((answer) => answer.status));
    t.same(await statuses(writes), new Set([200]));
    t.match(await ready(), { status: 200 });

    for (const change of ['SET default_transaction_read_only = on', 'SET default_transaction_read_only = true']) {
      await setting(change);
      await becomes(503);
      t.match(await ready(), { database: 'ok', writable: 'failed' });
      const refused = await eventually('a refusal', async () => {
        const answer = await write(0);
        return answer.status === 503 && answer;
      });
      t.match(refused.body, { code: 'UNAVAILABLE', detail: REFUSAL });
      t.same(await statuses(() => Promise.all([read(), read(), read()])), new Set([200]), 'reads are answered');

      await setting('RESET default_transaction_read_only');
      await becomes(200);
      if (isPooled) await eventually('all writes', async () => !(await statuses(writes)).has(503));
      t.same(await statuses(writes), new Set([200]), 'no connection of the phase is left');
      t.match(await ready(), { status: 200 });
    }
  });
}
