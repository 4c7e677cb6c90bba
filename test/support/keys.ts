import type { Test } from 'tap';
import { exampleApp } from './example.js';
import type { FakeGateway } from './gateway.js';
import { PASSWORD, type Person } from './people.js';
import { codeOf, type RestAnswer, type Service } from './service.js';

export const DAY = 24 * 60 * 60 * 1000;
const EUR = { total: { amount: 1999, currency: 'EUR' } };
const USERS = '/api/v1/users';
const ORDERS = '/api/v1/orders';
export const ordersOf = ({ id }: { id: number }) => `${USERS}/${id}/orders`;

/** Makes keys and addresses of accounts different. */
let made = 0;

/** Returns the parts of an answer that its repetition must equal. */
export const answerOf = ({ status, headers, text }: RestAnswer) => ({
  status,
  text,
  headers: ['location', 'etag', 'preference-applied', 'content-type'].map((name) => headers.get(name)),
});

/** A request of an operation that takes a key, another body for it, the count of its effects so far, and its headers. */
type KeyedRequest = () => Promise<
  [path: string, body: object, other: object, effects: () => Promise<number>, headers?: object]
>;

/** Requests with an Idempotency-Key to a service whose payments go to a gateway. */
export function keyedRequests(service: Service, gateway: FakeGateway) {
  const { rest, admin, viewer, database } = service;
  const { client } = database;
  const post = (as: Person, path: string, key: string, body?: unknown, headers = {}) =>
    rest('POST', path, { as, body, headers: { 'idempotency-key': key, ...headers } });
  const newKey = () => `key-${++made}`;
  const newUser = (fields = {}) => ({ name: 'New', email: `new${++made}@example.com`, role: 'viewer', ...fields });
  const order = async (as = viewer) => (await rest('POST', ordersOf(as), { as, body: EUR })).body.id as number;

  /** Every operation that takes a key. */
  const operations = {
    createUser: async () => {
      const body = newUser();
      return [USERS, body, { ...body, name: 'Other' }, () => client.user.count({ where: { email: body.email } })];
    },
    createOrder: async () => {
      const before = await client.order.count();
      const other = { total: { ...EUR.total, amount: 1 } };
      return [ordersOf(admin), EUR, other, async () => (await client.order.count()) - before];
    },
    payOrder: async () => {
      const id = await order(admin);
      const effects = async () => gateway.taken(id).length;
      return [`${ORDERS}/${id}/payment`, { payment_token: 'a' }, { payment_token: 'b' }, effects];
    },
    'payOrder in the background': async () => {
      const id = await order(admin);
      const effects = async () => client.payment.count({ where: { orderId: id } });
      return [`${ORDERS}/${id}/payment`, { payment_token: 'a' }, {}, effects, { prefer: 'respond-async' }];
    },
  } satisfies Record<string, KeyedRequest>;

  /** Returns the viewer with a token of the moved clock. */
  async function viewerNow(): Promise<Person> {
    const body = { email: viewer.email, password: PASSWORD };
    const { access_token } = (await rest('POST', '/api/v1/auth/login', { body })).body;
    return { ...viewer, headers: { authorization: `Bearer ${access_token}` } };
  }

  /** Starts a service for its jobs, which start when it is ready. Returns a function that ends it. */
  async function startSweeper(now: () => number): Promise<() => Promise<unknown>> {
    const app = await exampleApp({ PAYMENT_URL: gateway.url }, { database, logger: false, now });
    await app.ready();
    return () => app.close();
  }

  return { post, newKey, newUser, order, operations, viewerNow, startSweeper };
}

/** Tests that a key of an operation has one request, one effect and one answer. */
export function testKeysOf(t: Test, name: string, request: KeyedRequest, { rest, admin }: Service): void {
  const post = (path: string, key: string, body: unknown, headers = {}) =>
    rest('POST', path, { as: admin, body, headers: { 'idempotency-key': key, ...headers } });
  t.test(`${name}: a key has one request and one effect`, async (t) => {
    const [path, body, other, effects, headers] = await request();
    const key = `key-${++made}`;
    const first = await post(path, key, body, headers);
    t.ok([200, 201, 202].includes(first.status), String(first.status));
    const turned = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()));
    for (const again of [body, turned]) {
      const answer = await post(path, key, again, { 'content-type': 'application/json', ...headers });
      t.same(answerOf(answer), answerOf(first));
    }
    const mismatch = await post(path, key, other, headers);
    t.same(codeOf(mismatch), [422, 'VALIDATION_FAILED']);
    t.same(mismatch.body.errors, [{ parameter: 'Idempotency-Key', detail: 'was used with another body' }]);
    t.equal(await effects(), 1);
  });

  t.test(`${name}: concurrent requests have one effect and one answer`, async (t) => {
    const [path, body, , effects, headers] = await request();
    const key = `key-${++made}`;
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => post(path, key, body, headers)));
    t.ok(first && first.status < 300);
    for (const answer of others) t.same(answerOf(answer), answerOf(first as RestAnswer));
    t.equal(await effects(), 1);
  });
}
