import t from 'tap';
import type { OrderStatus } from '../../../src/platform/database/client.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import type { Person } from '../../support/people.js';
import { codeOf, startService } from '../../support/service.js';

const EUR = { total: { amount: 1999, currency: 'EUR' } };
const USERS = '/api/v1/users';
const ORDERS = '/api/v1/orders';
const ordersOf = ({ id }: { id: number }) => `${USERS}/${id}/orders`;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { rest, admin, developer, viewer } = await startService(t, database);
  const create = async (as: Person = viewer) => (await rest('POST', ordersOf(as), { as, body: EUR })).body.id as number;
  const newUser = async (name: string) => {
    const body = { name, email: `${name}@example.com`, role: 'viewer' };
    return (await rest('POST', USERS, { as: admin, body })).body as { id: number };
  };
  const inState = async (status: OrderStatus, userId = viewer.id) => {
    const data = { userId, amount: 5, currency: 'EUR', status };
    return (await database.client.order.create({ data, select: { id: true } })).id;
  };

  t.test('a paid order offers no further action, and has another entity tag than before', async (t) => {
    const created = await rest('POST', ordersOf(viewer), { as: viewer, body: EUR });
    const path = `${ORDERS}/${created.body.id}`;
    const etag = created.headers.get('etag') as string;
    const paid = await rest('POST', created.body._links.pay.href, { as: viewer });
    t.same([paid.status, paid.body.status], [200, 'paid']);
    t.same(paid.body._links, { self: { href: path } });
    t.not(paid.headers.get('etag'), etag, 'another state, another tag');
    const after = await rest('GET', path, { as: viewer, headers: { 'if-none-match': etag } });
    t.same([after.status, after.body], [200, paid.body]);
  });

  t.test('a paid order is paid once, however often its payment and its cancellation are requested', async (t) => {
    const id = await create();
    const nouns = Array.from({ length: 100 }, (_, i) => (i % 2 ? 'cancel' : 'payment'));
    const answers = await Promise.all(nouns.map((noun) => rest('POST', `${ORDERS}/${id}/${noun}`, { as: viewer })));
    const winners = answers.filter(({ status }) => status === 200);
    t.equal(winners.length, 1);
    t.same(
      answers.filter(({ status }) => status !== 200).map(codeOf),
      Array.from({ length: 99 }, () => [409, 'CONFLICT']),
    );
    t.same((await rest('GET', `${ORDERS}/${id}`, { as: viewer })).body, winners[0]?.body);
    const settled = await database.client.payment.count({ where: { orderId: id, status: 'SETTLED' } });
    t.equal(settled, winners[0]?.body.status === 'paid' ? 1 : 0, 'and a payment was taken only for a paid order');
  });

  t.test('owners and administrators pay an order, and nobody else', async (t) => {
    const theirs = ordersOf(await newUser('other'));
    for (const [as, expected] of [
      [viewer, 403],
      [developer, 403],
      [admin, 200],
    ] as const) {
      t.equal((await rest('POST', `${ORDERS}/${await create(as)}/payment`, { as })).status, 200, 'the own');
      const { id } = (await rest('POST', theirs, { as: admin, body: EUR })).body;
      t.equal((await rest('POST', `${ORDERS}/${id}/payment`, { as })).status, expected, "another's");
    }
  });

  t.test('a payment is refused for its order, then for its key, then for its rate', async (t) => {
    const as = viewer;
    const bad = { as, headers: { 'idempotency-key': 'x y' } };
    const payment = (id: number) => `${ORDERS}/${id}/payment`;
    t.same(codeOf(await rest('POST', payment(99_999_999), bad)), [404, 'NOT_FOUND'], 'unknown');
    t.same(codeOf(await rest('POST', payment(await inState('PAID')), bad)), [409, 'CONFLICT'], 'paid');
    t.same(codeOf(await rest('POST', payment(await create()), bad)), [422, 'VALIDATION_FAILED'], 'the key');
    t.same(codeOf(await rest('POST', payment(99_999_999_999), { as: admin })), [404, 'NOT_FOUND']);
    const { id } = await newUser('leaver');
    const { body: order } = await rest('POST', ordersOf({ id }), { as: admin, body: EUR });
    t.equal((await rest('POST', payment(order.id), { as: admin })).status, 200);
    t.equal((await rest('DELETE', `${USERS}/${id}`, { as: admin })).status, 204);
    t.same(codeOf(await rest('POST', payment(order.id), { as: admin })), [410, 'GONE'], 'deleted');
    const limited = await startService(t, await open(), { RATE_LIMIT: '3' }, slowClock());
    const mine = await limited.rest('POST', ordersOf(limited.viewer), { as: limited.viewer, body: EUR });
    for (let i = 0; i < 2; i++) await limited.rest('GET', `${ORDERS}/${mine.body.id}`, { as: limited.viewer });
    t.same(codeOf(await limited.rest('POST', payment(mine.body.id), { as: limited.viewer })), [429, 'RATE_LIMITED']);
  });

  t.test('of a payment and the deletion of its account, which come together, one has an effect', async (t) => {
    for (let i = 0; i < 5; i++) {
      const { body: user } = await rest('POST', '/api/v1/users', {
        as: admin,
        body: { name: 'Racer', email: `racer${i}@example.com`, role: 'viewer' },
      });
      const { body: order } = await rest('POST', ordersOf(user), { as: admin, body: EUR });
      const slow = { payment_token: 'tok_delay' };
      const [paid, gone] = await Promise.all([
        rest('POST', `${ORDERS}/${order.id}/payment`, { as: admin, headers: { prefer: 'respond-async' }, body: slow }),
        rest('DELETE', `/api/v1/users/${user.id}`, { as: admin }),
      ]);
      const outcome = `${paid.status} and ${gone.status}`;
      t.ok(['202 and 409', '404 and 204', '410 and 204'].includes(outcome), outcome);
    }
  });

  t.test('an account is deleted after its payment, not during it', async (t) => {
    const { id } = await newUser('payer');
    const order = await inState('PROCESSING', id);
    t.same(codeOf(await rest('DELETE', `${USERS}/${id}`, { as: admin })), [409, 'CONFLICT']);
    await database.client.order.update({ where: { id: order }, data: { status: 'PAID' } });
    t.equal((await rest('DELETE', `${USERS}/${id}`, { as: admin })).status, 204);
  });
});
