import t from 'tap';
import { actionsOf, transitions } from '../../src/application/services/order-states.js';
import type { OrderStatus } from '../../src/platform/database/client.js';
import { slowClock } from '../support/clock.js';
import { onEachDatabase } from '../support/databases.js';
import type { Person } from '../support/people.js';
import { codeOf, type RestAnswer, startService } from '../support/service.js';

const EUR = { total: { amount: 1999, currency: 'EUR' } };
const ordersOf = ({ id }: { id: number }) => `/api/v1/users/${id}/orders`;
const ORDERS = '/api/v1/orders';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { rest, admin, developer, viewer } = await startService(t, database);
  const create = async (as: Person = viewer) => (await rest('POST', ordersOf(as), { as, body: EUR })).body.id as number;
  const inState = async (status: OrderStatus) => {
    const data = { userId: viewer.id, amount: 5, currency: 'EUR', status };
    return (await database.client.order.create({ data, select: { id: true } })).id;
  };

  t.test('a new order is pending, and is read with the body and the entity tag of its creation', async (t) => {
    const created = await rest('POST', ordersOf(viewer), { as: viewer, body: EUR });
    const { id } = created.body;
    const path = `${ORDERS}/${id}`;
    t.same([created.status, created.headers.get('location')], [201, path]);
    t.match(created.body, { ...EUR, status: 'pending', createdAt: /Z$/ });
    t.same(created.body._links, {
      self: { href: path },
      cancel: { href: `${path}/cancel`, method: 'POST' },
      pay: { href: `${path}/payment`, method: 'POST' },
    });
    const read = await rest('GET', path, { as: viewer });
    t.same(read.body, created.body);
    t.same((await rest('GET', `${ordersOf(viewer)}/${id}`, { as: viewer })).body, created.body);
    const etag = created.headers.get('etag') as string;
    t.match(etag, /^"[^"]+"$/, 'a strong tag');
    t.equal((await rest('GET', path, { as: viewer, headers: { 'if-none-match': etag } })).status, 304);
  });

  t.test('each state links to its possible actions, and refuses others without an effect', async (t) => {
    for (const status of Object.keys(transitions) as OrderStatus[]) {
      for (const [action, noun] of [
        ['cancel', 'cancel'],
        ['pay', 'payment'],
      ] as const) {
        const path = `${ORDERS}/${await inState(status)}`;
        const before = await rest('GET', path, { as: viewer });
        t.equal(action in before.body._links, actionsOf(status).includes(action), `${status} and its link ${action}`);
        const answer = await rest('POST', `${path}/${noun}`, { as: viewer });
        if (action in before.body._links) {
          t.same([answer.status, answer.body.status], [200, action === 'pay' ? 'paid' : 'cancelled']);
        } else {
          t.same(codeOf(answer), [409, 'CONFLICT'], `${status} cannot be ${action}`);
          t.same((await rest('GET', path, { as: viewer })).body, before.body);
        }
      }
    }
  });

  t.test('developers read all orders, administrators do everything, and others keep to their own', async (t) => {
    type Act = (as: Person) => Promise<RestAnswer>;
    const rows: [string, Act, number, number, number][] = [
      ['list own', (as) => rest('GET', ordersOf(as), { as }), 200, 200, 200],
      ['create own', (as) => rest('POST', ordersOf(as), { as, body: EUR }), 201, 201, 201],
      ['read own', async (as) => rest('GET', `${ORDERS}/${await create(as)}`, { as }), 200, 200, 200],
      ['cancel own', async (as) => rest('POST', `${ORDERS}/${await create(as)}/cancel`, { as }), 200, 200, 200],
    ];
    const other = (
      await rest('POST', '/api/v1/users', {
        as: admin,
        body: { name: 'Other', email: 'other@example.com', role: 'viewer' },
      })
    ).body as { id: number };
    const theirs = async () => (await rest('POST', ordersOf(other), { as: admin, body: EUR })).body.id;
    const id = await theirs();
    rows.push(
      ["list another's", (as) => rest('GET', ordersOf(other), { as }), 403, 200, 200],
      ['create for another', (as) => rest('POST', ordersOf(other), { as, body: EUR }), 403, 403, 201],
      ["read another's", (as) => rest('GET', `${ORDERS}/${id}`, { as }), 403, 200, 200],
      ["read another's by path", (as) => rest('GET', `${ordersOf(other)}/${id}`, { as }), 403, 200, 200],
      ["cancel another's", async (as) => rest('POST', `${ORDERS}/${await theirs()}/cancel`, { as }), 403, 403, 200],
      ["another's order under one's own path", (as) => rest('GET', `${ordersOf(as)}/${id}`, { as }), 404, 404, 404],
    );
    for (const [what, act, ...expected] of rows) {
      const found = [];
      for (const person of [viewer, developer, admin]) found.push((await act(person)).status);
      t.same(found, expected, what);
    }
  });

  t.test('a deleted order is 410, an unknown one 404', async (t) => {
    const { body: user } = await rest('POST', '/api/v1/users', {
      as: admin,
      body: { name: 'Leaver', email: 'leaver@example.com', role: 'viewer' },
    });
    const { body: order } = await rest('POST', ordersOf(user), { as: admin, body: EUR });
    t.equal((await rest('DELETE', `/api/v1/users/${user.id}`, { as: admin })).status, 204);
    const at = (id: number, userId: number): [string, string, object?][] => [
      ['GET', `${ORDERS}/${id}`],
      ['GET', `/api/v1/users/${userId}/orders/${id}`],
      ['POST', `${ORDERS}/${id}/cancel`],
      ['GET', `/api/v1/users/${userId}/orders`],
      ['POST', `/api/v1/users/${userId}/orders`, EUR],
    ];
    for (const [method, path, body] of at(order.id, user.id))
      t.same(codeOf(await rest(method, path, { as: admin, body })), [410, 'GONE'], `${method} ${path}`);
    for (const [method, path, body] of at(99_999_999_999, 99_999_999_999))
      t.same(codeOf(await rest(method, path, { as: admin, body })), [404, 'NOT_FOUND'], `${method} ${path}`);
  });

  t.test('three styles of paging visit every order of an account once', async (t) => {
    const { body: user } = await rest('POST', '/api/v1/users', {
      as: admin,
      body: { name: 'Buyer', email: 'buyer@example.com', role: 'viewer' },
    });
    const ids: number[] = [];
    for (let i = 0; i < 7; i++) ids.push((await rest('POST', ordersOf(user), { as: admin, body: EUR })).body.id);
    const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);
    const list = ordersOf(user);
    const offset = await rest('GET', `${list}?limit=3&offset=3`, { as: admin });
    t.same([idsOf(offset.body), offset.headers.get('x-total-count')], [ids.slice(3, 6), '7']);
    t.same(idsOf((await rest('GET', `${list}?page=3&per_page=3`, { as: admin })).body), ids.slice(6));
    const first = (await rest('GET', `${list}?after=&limit=4`, { as: admin })).body;
    t.same([idsOf(first.data), first.cursor.hasMore], [ids.slice(0, 4), true]);
    const second = (await rest('GET', `${list}?limit=4&after=${first.cursor.next}`, { as: admin })).body;
    t.same([idsOf(second.data), second.cursor], [ids.slice(4), { next: '', hasMore: false }]);
    const foreign = await rest('GET', `${ordersOf(admin)}?after=${first.cursor.next}`, { as: admin });
    t.same(codeOf(foreign), [400, 'BAD_REQUEST'], 'a cursor is good for one list');
  });

  t.test(
    'a bad request to an order fails by its syntax, then its caller, then the order, then its content',
    async (t) => {
      const paid = await inState('PAID');
      const steps: [string, RestAnswer, [number, string]][] = [
        ['400 before 401', await rest('POST', ordersOf(viewer), { body: {} }), [400, 'BAD_REQUEST']],
        ['401', await rest('POST', `${ORDERS}/${paid}/cancel`), [401, 'UNAUTHENTICATED']],
        ['401 before 404', await rest('POST', `${ORDERS}/99999999/cancel`), [401, 'UNAUTHENTICATED']],
      ];
      for (const [amount, currency] of [
        [0, 'EUR'],
        [100_000_000, 'EUR'],
        [1, 'eur'],
        [1, 'ABC'],
        [1, 'DEM'],
        [1, 'EU'],
      ]) {
        const answer = await rest('POST', ordersOf(viewer), { as: viewer, body: { total: { amount, currency } } });
        steps.push([`422 ${amount} ${currency}`, answer, [422, 'VALIDATION_FAILED']]);
        const [{ pointer } = {}] = answer.body.errors as { pointer?: string }[];
        t.equal(pointer, `/total/${currency === 'EUR' ? 'amount' : 'currency'}`);
      }
      for (const currency of ['JPY', 'KWD', 'CHF', 'ZWG']) {
        const answer = await rest('POST', ordersOf(viewer), { as: viewer, body: { total: { amount: 1, currency } } });
        t.equal(answer.status, 201, currency);
      }
      for (const [what, answer, expected] of steps) t.same(codeOf(answer), expected, what);
    },
  );
});

onEachDatabase(t, async (t, open) => {
  const { rest, viewer } = await startService(t, await open(), { RATE_LIMIT: '3' }, slowClock());
  t.test('a cancellation beyond the rate is 429', async (t) => {
    const order = await rest('POST', ordersOf(viewer), { as: viewer, body: EUR });
    for (let i = 0; i < 2; i++) await rest('GET', `${ORDERS}/${order.body.id}`, { as: viewer });
    const answer = await rest('POST', `${ORDERS}/${order.body.id}/cancel`, { as: viewer });
    t.same(codeOf(answer), [429, 'RATE_LIMITED']);
  });
});
