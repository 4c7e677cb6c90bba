import t from 'tap';
import { demo } from '../../../src/application/seed.js';
import { openDatabase } from '../../../src/platform/database/open.js';
import { demoDirectory } from '../../support/demo.js';
import { fakeGateway } from '../../support/gateway.js';
import { ask, basic, eventually, type Server, startServer } from '../../support/process.js';
import { skipUnlessWhole } from '../../support/servers.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

const credentials = basic(DEMO_ADMIN, DEMO_PASSWORD);
const EUR = { total: { amount: 1999, currency: 'EUR' } };

async function post({ url }: Server, path: string, headers: Record<string, string> = {}, body: object = {}) {
  const response = await ask(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentials, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { id: number; status: string } };
}

async function get<T>({ url }: Server, path: string): Promise<T> {
  const response = await ask(`${url}/api/v1${path}`, { headers: credentials });
  return (await response.json()) as T;
}

async function killed(server: Server): Promise<void> {
  server.kill('SIGKILL');
  await server.ended;
}

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

t.test(
  'a retry under the same key has no second effect if the process is killed',
  { skip: skipUnlessWhole },
  async (t) => {
    const environment = { DATABASE_URL: await demoDirectory(t) };
    let server = await startServer(t, environment);
    for (const [round, answered] of [0, 15].entries()) {
      const keys = Array.from({ length: 20 }, (_, i) => ({ 'idempotency-key': `round-${round}-${i}` }));
      const before = (await get<unknown[]>(server, '/users/1/orders?limit=100')).length;
      const answers = keys.map((key) => post(server, '/users/1/orders', key, EUR).catch(() => undefined));
      // Kills in the first round during the first answer, and in the second round during the last ones.
      await answers[answered];
      await killed(server);
      const given = (await Promise.all(answers)).map((answer) => answer?.body.id);
      server = await startServer(t, environment);
      for (const [i, key] of keys.entries()) {
        const { status, body } = await post(server, '/users/1/orders', key, EUR);
        t.equal(status, 201);
        if (given[i] !== undefined) t.equal(body.id, given[i], 'the answer that was given stands');
      }
      const orders = await get<unknown[]>(server, '/users/1/orders?limit=100');
      t.equal(
        orders.length,
        before + keys.length,
        `one order for each key; ${given.filter(Boolean).length} were answered`,
      );
    }
  },
);
