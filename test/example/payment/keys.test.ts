import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { fakeGateway } from '../../support/gateway.js';
import { DAY, keyedRequests, ordersOf, testKeysOf } from '../../support/keys.js';
import { eventually } from '../../support/process.js';
import { codeOf, startService } from '../../support/service.js';

const EUR = { total: { amount: 1999, currency: 'EUR' } };
const ORDERS = '/api/v1/orders';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const gateway = await fakeGateway(t);
  let moved = 0;
  const service = await startService(t, database, { PAYMENT_URL: gateway.url }, () => Date.now() + moved);
  const { viewer } = service;
  const { post, newKey, order, operations, viewerNow, startSweeper } = keyedRequests(service, gateway);

  for (const name of ['payOrder', 'payOrder in the background'] as const)
    testKeysOf(t, name, operations[name], service);

  t.test('a payment that failed frees its key for another token', async (t) => {
    const key = newKey();
    const path = `${ORDERS}/${await order()}/payment`;
    gateway.next.push('decline', 'refuse');
    t.same(codeOf(await post(viewer, path, key, { payment_token: 'a' })), [422, 'PAYMENT_DECLINED']);
    t.same(codeOf(await post(viewer, path, key, { payment_token: 'b' })), [502, 'BAD_GATEWAY']);
    t.equal((await post(viewer, path, key, { payment_token: 'c' })).status, 200);
  });

  t.test('the key of a payment in flight does not expire, because a repetition could charge twice', async (t) => {
    const key = newKey();
    const as = await viewerNow();
    const id = await order(as);
    const ended = newKey();
    t.equal((await post(as, ordersOf(viewer), ended, EUR)).status, 201);
    gateway.otherwise = 'fail';
    t.same(codeOf(await post(as, `${ORDERS}/${id}/payment`, key)), [502, 'BAD_GATEWAY']);
    moved += DAY + 1000;
    const later = await viewerNow();
    t.same(codeOf(await post(later, `${ORDERS}/${id}/payment`, key)), [409, 'CONFLICT']);
    const other = await post(later, `${ORDERS}/${id}/payment`, key, { payment_token: 'other' });
    t.same(codeOf(other), [422, 'VALIDATION_FAILED'], 'it is still the key of that body');
    const sweeper = await startSweeper(() => Date.now() + moved);
    await eventually(
      'the deletion of other keys',
      async () => (await client.idempotencyKey.count({ where: { key: ended } })) === 0,
    );
    t.equal(await client.idempotencyKey.count({ where: { key } }), 1);
    await sweeper();
    gateway.otherwise = 'settle';
    await eventually('the payment', () => {
      moved += 1000;
      return gateway.taken(id).length === 1;
    });
  });
});
