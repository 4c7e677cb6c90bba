import t from 'tap';
import { httpGateway } from '../../../src/application/services/payments/http.js';
import { outsideService } from '../../../src/platform/core/calls/outside.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase, TEST_TIMEOUTS_MS } from '../../support/databases.js';
import { type Behaviour, fakeGateway } from '../../support/gateway.js';
import { eventually } from '../../support/process.js';
import { ARRIVAL, PRODUCTION, PROXIED } from '../../support/production.js';
import { codeOf, type RestAnswer, type Service, startService } from '../../support/service.js';

const ORDERS = '/api/v1/orders';
/** Longer than a lease, and than the waits after the first five attempts. Many of them leave access tokens valid. */
const WAIT = 16_000;
const ASYNC = { prefer: 'respond-async' };

/** Orders of the viewer, and what happens to them. */
function ordersOf({ rest, viewer: as }: Service) {
  const body = { total: { amount: 1999, currency: 'EUR' } };
  return {
    create: async (): Promise<number> => (await rest('POST', `/api/v1/users/${as.id}/orders`, { as, body })).body.id,
    pay: (id: number, token?: string, headers = {}): Promise<RestAnswer> =>
      rest('POST', `${ORDERS}/${id}/payment`, { as, headers, body: token && { payment_token: token } }),
    cancel: (id: number) => rest('POST', `${ORDERS}/${id}/cancel`, { as }),
    statusOf: async (id: number) => (await rest('GET', `${ORDERS}/${id}`, { as })).body.status,
    becomes: (id: number, status: string) =>
      eventually(
        `order ${id} ${status}`,
        async () => (await rest('GET', `${ORDERS}/${id}`, { as })).body.status === status,
      ),
  };
}

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('each test token of the embedded gateway has its documented outcome', async (t) => {
    const { create, pay, statusOf, becomes } = ordersOf(await startService(t, database));
    const rows: [string | undefined, [number, string | undefined], string][] = [
      [undefined, [200, undefined], 'paid'],
      ['tok_ok', [200, undefined], 'paid'],
      ['tok_delay', [200, undefined], 'paid'],
      ['tok_decline', [422, 'PAYMENT_DECLINED'], 'pending'],
      ['tok_fail', [502, 'BAD_GATEWAY'], 'pending'],
      ['__proto__', [422, 'PAYMENT_DECLINED'], 'pending'],
    ];
    const waited = rows.map(async ([token, expected, status]) => {
      const id = await create();
      t.same([codeOf(await pay(id, token)), await statusOf(id)], [expected, status], `${token}`);
    });
    const inBackground = rows.map(async ([token, , status]) => {
      const id = await create();
      const { status: code, body, headers } = await pay(id, token, ASYNC);
      const self = `${ORDERS}/${id}`;
      t.same([code, body.status, body._links], [202, 'processing', { self: { href: self } }], `${token}, later`);
      t.same([headers.get('location'), headers.get('preference-applied')], [self, 'respond-async']);
      await becomes(id, status);
    });
    await Promise.all([...waited, ...inBackground]);
  });
});

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const gateway = await fakeGateway(t);
  let moved = 0;
  const time = slowClock();
  const now = () => time() + moved;
  // Three attempts of a second each are enough for a gateway that answers at all.
  const environment = { PAYMENT_URL: gateway.url.replace('//', '//us:s%3Acret@'), PAYMENT_TIMEOUT: '1000' };
  const service = await startService(t, database, environment, now);
  const { create, pay, cancel, statusOf, becomes } = ordersOf(service);

  t.test('the gateway receives the stored key, and its answer decides', async (t) => {
    const id = await create();
    const longest = 'x'.repeat(255);
    t.same(codeOf(await pay(id, longest)), [200, undefined]);
    const [{ headers: _, ...request } = { headers: {} }] = gateway.requests;
    const payment = await database.client.payment.findFirstOrThrow({ where: { orderId: id } });
    t.same(request, {
      key: payment.id,
      authorization: `Basic ${Buffer.from('us:s:cret').toString('base64')}`,
      body: { order_id: id, amount: 1999, currency: 'EUR', payment_token: longest },
    });
    t.same([payment.status, payment.token], ['SETTLED', null], 'the token is not kept');

    const declined = await create();
    const key = { 'idempotency-key': 'declined' };
    gateway.next.push('decline');
    t.same(codeOf(await pay(declined, undefined, key)), [422, 'PAYMENT_DECLINED']);
    t.equal(await statusOf(declined), 'pending');
    t.equal((await pay(declined, undefined, key)).status, 200, 'and can be paid, also under the same key');
    t.equal(gateway.taken(declined).length, 1);

    const refused = await create();
    gateway.next.push('refuse');
    t.same(codeOf(await pay(refused)), [502, 'BAD_GATEWAY']);
    t.equal(await statusOf(refused), 'pending');
    t.equal((await cancel(refused)).status, 200);
  });

  t.test('a lost answer is requested again under the same key', async (t) => {
    const lost: Behaviour[] = ['lost in time', 'lost by reset', 'lost in garbage', 'lost in 409', 'lost in 500'];
    for (const fault of [...lost, 'twice'] as const) {
      const id = await create();
      gateway.next.push(fault);
      t.equal((await pay(id)).status, 200, fault);
      t.equal(gateway.taken(id).length, 1, 'taken once');
    }
  });

  t.test('an unclear payment leaves the order in progress, and is settled once', async (t) => {
    const faults: [Behaviour, [number, string]][] = [
      ['lost in time', [504, 'GATEWAY_TIMEOUT']],
      ['lost by reset', [502, 'BAD_GATEWAY']],
      ['lost in garbage', [502, 'BAD_GATEWAY']],
      ['lost in 408', [502, 'BAD_GATEWAY']],
      ['lost in 409', [502, 'BAD_GATEWAY']],
      ['lost in 425', [502, 'BAD_GATEWAY']],
      ['lost in 500', [502, 'BAD_GATEWAY']],
    ];
    for (const [fault, expected] of faults) {
      const id = await create();
      const key = { 'idempotency-key': `lost ${fault}`.replaceAll(' ', '-') };
      gateway.otherwise = fault;
      t.same(codeOf(await pay(id, undefined, key)), expected, fault);
      t.same(codeOf(await cancel(id)), [409, 'CONFLICT'], 'what may be paid cannot be cancelled');
      t.same(codeOf(await pay(id)), [409, 'CONFLICT'], 'nor paid again');
      t.same(codeOf(await pay(id, undefined, key)), [409, 'CONFLICT'], 'the first request under its key runs on');
      // However often it fails: what may have been taken is not given up.
      const asked = gateway.requests.length;
      moved += WAIT;
      await eventually('another attempt', () => gateway.requests.length > asked);
      t.equal(await statusOf(id), 'processing');
      gateway.otherwise = 'settle';
      moved += WAIT;
      await becomes(id, 'paid');
      t.equal(gateway.taken(id).length, 1, 'taken once');
      const repeated = await pay(id, undefined, key);
      t.same([repeated.status, repeated.body?.status], [200, 'paid'], 'and the key knows the answer');
    }
  });

  t.test('a payment that may have been taken is not given up when a later attempt is refused', async (t) => {
    const id = await create();
    gateway.otherwise = 'fail';
    t.same(codeOf(await pay(id)), [502, 'BAD_GATEWAY']);
    gateway.otherwise = 'refuse';
    for (let attempt = 2; attempt <= 3; attempt++) {
      moved += WAIT;
      await eventually(`the end of attempt ${attempt}`, async () => {
        const { status, attempts, dueAt } = await database.client.payment.findFirstOrThrow({ where: { orderId: id } });
        // The lease of a running attempt is longer than the wait after it.
        return status !== 'OPEN' || (attempts === attempt && dueAt.getTime() - now() < 10_000);
      });
      t.equal(await statusOf(id), 'processing', `after attempt ${attempt}`);
    }
    gateway.otherwise = 'settle';
    moved += WAIT;
    await becomes(id, 'paid');
    t.equal(gateway.taken(id).length, 1);
  });

  t.test('a gateway that limits its callers is asked again', async (t) => {
    const id = await create();
    gateway.next.push('limit');
    t.equal((await pay(id)).status, 200);
    const limited = await create();
    gateway.otherwise = 'limit';
    t.same(codeOf(await pay(limited)), [502, 'BAD_GATEWAY']);
    t.equal(await statusOf(limited), 'pending', 'nothing was taken');
    gateway.otherwise = 'settle';
  });

  t.test('an attempt does not give up a payment that another instance has begun to request again', async (t) => {
    const id = await create();
    const asked = gateway.requests.length;
    gateway.hold();
    gateway.otherwise = 'refuse';
    const paying = pay(id);
    await eventually('the first attempt', () => gateway.requests.length > asked);
    await database.client.payment.updateMany({ where: { orderId: id }, data: { attempts: 2 } });
    gateway.release();
    t.same(codeOf(await paying), [502, 'BAD_GATEWAY']);
    t.equal(await statusOf(id), 'processing');
    gateway.otherwise = 'settle';
    moved += WAIT;
    await becomes(id, 'paid');
  });

  t.test('a slow payment does not delay the others', async (t) => {
    const ids = [await create(), await create(), await create(), await create()];
    gateway.hold();
    const asked = gateway.requests.length;
    for (const id of ids) t.equal((await pay(id, undefined, ASYNC)).status, 202);
    const requested = () => gateway.requests.slice(asked);
    await eventually('all four', () => new Set(requested().map(({ key }) => key)).size === ids.length);
    t.ok(requested().length < 10, 'the last one does not wait for three attempts of each other one');
    gateway.release();
    for (const id of ids) await becomes(id, 'paid');
  });

  t.test('during a payment nobody else can pay or cancel', async (t) => {
    const id = await create();
    gateway.hold();
    const paying = pay(id);
    await becomes(id, 'processing');
    t.same(codeOf(await cancel(id)), [409, 'CONFLICT']);
    t.same(codeOf(await pay(id)), [409, 'CONFLICT']);
    gateway.release();
    t.equal((await paying).status, 200);
    t.equal(gateway.taken(id).length, 1);
  });

  t.test('background payments retry a failing gateway with growing waits', async (t) => {
    const id = await create();
    gateway.otherwise = 'fail';
    t.equal((await pay(id, undefined, ASYNC)).status, 202);
    const attempts = async () => (await database.client.payment.findFirstOrThrow({ where: { orderId: id } })).attempts;
    const waits: number[] = [];
    for (let n = 1; n <= 3; n++) {
      await eventually(`attempt ${n}`, async () => {
        const { attempts, dueAt } = await database.client.payment.findFirstOrThrow({ where: { orderId: id } });
        const wait = dueAt.getTime() - now();
        if (attempts !== n || wait > 10_000) return undefined;
        waits.push(wait);
        return true;
      });
      moved += waits.at(-1) as number;
    }
    t.ok((await attempts()) >= 3);
    const longest = [500, 1000, 2000];
    t.ok(
      waits.every((wait, n) => wait > 0 && wait <= (longest[n] as number)),
      `${waits}`,
    );
    t.ok((waits[2] as number) > 1000, `the waits double: ${waits}`);
    gateway.otherwise = 'settle';
    moved += 60_000;
    await becomes(id, 'paid');
    t.equal(gateway.taken(id).length, 1);
  });
});

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('an unreachable gateway leaves the order pending', async (t) => {
    let moved = 0;
    const time = slowClock();
    // Nobody listens there, and nobody may but root; not port 1, which fetch refuses by itself.
    const service = await startService(t, database, { PAYMENT_URL: 'http://127.0.0.1:2' }, () => time() + moved);
    const { create, pay, cancel, becomes } = ordersOf(service);
    const id = await create();
    t.same(codeOf(await pay(id)), [502, 'BAD_GATEWAY']);
    t.equal((await cancel(id)).status, 200);
    const waiting = await create();
    t.equal((await pay(waiting, undefined, ASYNC)).status, 202);
    await eventually('the payment is given up', async () => {
      const payment = await database.client.payment.findFirstOrThrow({ where: { orderId: waiting } });
      // Between two attempts only: the clock must not end the lease of one.
      if (payment.status === 'OPEN' && !payment.uncertain) moved += 5000;
      return payment.status === 'FAILED';
    });
    const { attempts } = await database.client.payment.findFirstOrThrow({ where: { orderId: waiting } });
    t.equal(attempts, 6, 'after six attempts');
    await becomes(waiting, 'pending');
  });

  t.test('production without a gateway settles nothing', async (t) => {
    await database.client.user.deleteMany();
    const service = await startService(t, database, PROXIED, Date.now);
    for (const person of [service.admin, service.developer, service.viewer]) Object.assign(person.headers, ARRIVAL);
    const { create, pay, statusOf } = ordersOf(service);
    const id = await create();
    for (const headers of [{}, ASYNC]) t.same(codeOf(await pay(id, 'tok_ok', headers)), [501, 'NOT_IMPLEMENTED']);
    t.equal(await statusOf(id), 'pending');
  });

  const skip = !database.url && 'the embedded database belongs to one instance';
  t.test('two instances request each payment once', { skip }, async (t) => {
    await database.client.user.deleteMany();
    const gateway = await fakeGateway(t);
    // An instance in production has sealed the keys of this database.
    const environment = { PAYMENT_URL: gateway.url, KEY_SECRET: PRODUCTION.KEY_SECRET };
    const first = await startService(t, database, environment);
    const { create, pay, becomes } = ordersOf(first);
    const ids: number[] = [];
    for (let i = 0; i < 12; i++) ids.push(await create());
    await database.client.user.deleteMany({ where: { role: { not: 'VIEWER' } } });
    await database.client.user.updateMany({ data: { email: 'moved@example.com', emailKey: 'moved@example.com' } });
    await startService(t, database, environment);
    await Promise.all(ids.map((id) => pay(id, undefined, ASYNC)));
    for (const id of ids) await becomes(id, 'paid');
    t.equal(gateway.requests.length, ids.length);
  });
});

t.test('a gateway that keeps failing gets no requests for a while', async (t) => {
  const gateway = await fakeGateway(t);
  const circuit = (rest: number) => {
    const outside = (name: string, options: object = {}) =>
      outsideService(name, { away() {}, back() {} }, { ...options, openFor: rest });
    const { pay } = httpGateway({ url: gateway.url, timeout: TEST_TIMEOUTS_MS.answer, outside });
    return (id: string) =>
      pay({ id, orderId: 1, amount: 1, currency: 'EUR', token: null }, new AbortController().signal);
  };
  /** One that has just failed for the fifth time. */
  const opened = async (rest: number) => {
    const once = circuit(rest);
    gateway.otherwise = 'fail';
    for (let i = 0; i < 5; i++) t.match(await once(`${i}`), { kind: 'unknown', timedOut: false });
    return once;
  };
  const [resting, rested] = [await opened(TEST_TIMEOUTS_MS.answer), await opened(1)];
  const asked = gateway.requests.length;
  t.match(await resting('open'), { kind: 'failed', retryable: true }, 'nothing was taken');
  t.equal(gateway.requests.length, asked, 'nor asked for');
  gateway.otherwise = 'settle';
  await eventually('the circuit closes', async () => (await rested('again')).kind === 'settled');
  gateway.otherwise = 'decline';
  for (let i = 0; i < 6; i++) t.match(await rested(`declined ${i}`), { kind: 'declined' }, 'a refusal is no fault');
});
