import t from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { demoDirectory, get, killed, post } from '../../support/demo.js';
import { fakeGateway } from '../../support/gateway.js';
import { eventually, startServer } from '../../support/process.js';

const EUR = { total: { amount: 1999, currency: 'EUR' } };

/** Ends the leases of interrupted attempts, so that they are repeated now. */
async function leasesRunOut(url: string): Promise<void> {
  const { client, close } = await openDatabase(url);
  await client.payment.updateMany({ where: { status: 'OPEN' }, data: { dueAt: new Date(0) } });
  await close();
}

t.test('a payment is taken once and settled if the process is killed before the commit', async (t) => {
  const gateway = await fakeGateway(t);
  const environment = { DATABASE_URL: await demoDirectory(t), PAYMENT_URL: gateway.url };
  const server = await startServer(t, environment);
  const [waited, later] = [
    await post(server, '/users/1/orders', {}, EUR),
    await post(server, '/users/1/orders', {}, EUR),
  ];
  const key = { 'idempotency-key': 'killed' };
  gateway.hold();
  post(server, `/orders/${waited.body.id}/payment`, key).catch(() => {});
  t.equal((await post(server, `/orders/${later.body.id}/payment`, { prefer: 'respond-async' })).status, 202);
  const ids = [waited.body.id, later.body.id];
  await eventually('both payments are taken', () => ids.every((id) => gateway.taken(id).length > 0));
  await killed(server);
  gateway.release();
  await leasesRunOut(environment.DATABASE_URL);

  const again = await startServer(t, environment);
  for (const id of ids) {
    await eventually('the order is paid', async () =>
      (await get<{ status: string }>(again, `/orders/${id}`)).status === 'paid' ? true : undefined,
    );
    t.equal(gateway.taken(id).length, 1, 'under one key');
  }
  const repeated = await post(again, `/orders/${waited.body.id}/payment`, key);
  t.match(repeated, { status: 200, body: { status: 'paid' } }, 'and the client learns of it under its own key');
});
